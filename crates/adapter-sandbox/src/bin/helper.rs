//! The smallest program that can be a sandbox helper. Run by a host that names it; by hand it does nothing.

fn main() {
    understory_adapter_sandbox::helper_main();
    std::process::exit(2);
}
