//! The contract of [`Provisioner`] as a suite.

use super::{Miss, Report, hold};
use crate::context::CallContext;
use crate::provisioner::{Locator, Pin, ProvisionError, Provisioner};
use async_trait::async_trait;
use std::sync::Arc;

/// An implementation under test over a cache of its own that is empty at first, with a tool that it can install.
#[async_trait]
pub trait Fixture: Send + Sync {
    /// The implementation. Each call gives another value over the same cache, as another process would have.
    fn provisioner(&self) -> Arc<dyn Provisioner>;

    /// A pin that it can install.
    fn pin(&self) -> Pin;

    /// How often something was fetched so far.
    fn fetches(&self) -> usize;

    /// Damages what is installed, so that the probe fails. `false` where that cannot be done.
    async fn damage(&self) -> bool;

    /// Empties the cache.
    async fn clear(&self);
}

/// Runs every case, each over an empty cache.
pub async fn suite(fixture: &dyn Fixture) -> Report {
    let mut report = Report::default();
    macro_rules! cases {
        ($($name:ident),+ $(,)?) => {
            $( fixture.clear().await; report.add(stringify!($name), $name(fixture).await); )+
        };
    }
    cases!(
        nothing_is_found_before_it_is_installed,
        ensure_installs_once,
        another_process_finds_it,
        two_at_once_give_one_installation,
        a_cancelled_call_installs_nothing,
        a_pin_without_a_lock_is_refused,
        a_pin_that_leaves_its_prefix_is_refused,
        a_damaged_installation_is_repaired,
    );
    report
}

async fn nothing_is_found_before_it_is_installed(fixture: &dyn Fixture) -> Result<(), Miss> {
    let before = fixture.fetches();
    let found = Locator::new(fixture.provisioner()).locate(&fixture.pin()).await?;
    hold!(found.is_none(), "found {found:?}");
    hold!(fixture.fetches() == before, "looking fetched something");
    Ok(())
}

async fn ensure_installs_once(fixture: &dyn Fixture) -> Result<(), Miss> {
    let (provisioner, pin, cx) = (fixture.provisioner(), fixture.pin(), CallContext::new());
    let first = provisioner.ensure(&pin, &cx).await?;
    let fetched = fixture.fetches();
    hold!(fetched > 0, "nothing was fetched");
    hold!(first.version() == pin.version, "another version: {first:?}");
    let second = provisioner.ensure(&pin, &cx).await?;
    let found = provisioner.locate(&pin).await?;
    hold!(second == first, "{second:?} is not {first:?}");
    hold!(found.as_ref() == Some(&first), "{found:?} is not {first:?}");
    hold!(fixture.fetches() == fetched, "the second call fetched again");
    Ok(())
}

async fn another_process_finds_it(fixture: &dyn Fixture) -> Result<(), Miss> {
    let (pin, cx) = (fixture.pin(), CallContext::new());
    let first = fixture.provisioner().ensure(&pin, &cx).await?;
    let fetched = fixture.fetches();
    let other = fixture.provisioner();
    hold!(other.locate(&pin).await?.as_ref() == Some(&first), "not found");
    hold!(other.ensure(&pin, &cx).await? == first, "not the same");
    hold!(fixture.fetches() == fetched, "it was fetched again");
    Ok(())
}

async fn two_at_once_give_one_installation(fixture: &dyn Fixture) -> Result<(), Miss> {
    let (pin, cx) = (fixture.pin(), CallContext::new());
    let before = fixture.fetches();
    let (one, two) = (fixture.provisioner(), fixture.provisioner());
    let (first, second) = tokio::join!(one.ensure(&pin, &cx), two.ensure(&pin, &cx));
    let (first, second) = (first?, second?);
    hold!(first == second, "{first:?} and {second:?}");
    let both = fixture.fetches() - before;
    fixture.clear().await;
    let before = fixture.fetches();
    fixture.provisioner().ensure(&pin, &cx).await?;
    let single = fixture.fetches() - before;
    hold!(both == single, "{both} fetches where one installation takes {single}");
    Ok(())
}

async fn a_cancelled_call_installs_nothing(fixture: &dyn Fixture) -> Result<(), Miss> {
    let cx = CallContext::new();
    cx.cancel.cancel();
    let provisioner = fixture.provisioner();
    let result = provisioner.ensure(&fixture.pin(), &cx).await;
    hold!(matches!(result, Err(ProvisionError::Cancelled)), "{result:?}");
    hold!(
        provisioner.locate(&fixture.pin()).await?.is_none(),
        "something was installed"
    );
    Ok(())
}

async fn a_pin_without_a_lock_is_refused(fixture: &dyn Fixture) -> Result<(), Miss> {
    let pin = Pin {
        lock: None,
        ..fixture.pin()
    };
    let before = fixture.fetches();
    let result = fixture.provisioner().ensure(&pin, &CallContext::new()).await;
    hold!(matches!(result, Err(ProvisionError::NoLock { .. })), "{result:?}");
    hold!(fixture.fetches() == before, "something was fetched");
    Ok(())
}

async fn a_pin_that_leaves_its_prefix_is_refused(fixture: &dyn Fixture) -> Result<(), Miss> {
    let pin = Pin {
        version: "1/../../x".into(),
        ..fixture.pin()
    };
    let provisioner = fixture.provisioner();
    let result = provisioner.ensure(&pin, &CallContext::new()).await;
    hold!(matches!(result, Err(ProvisionError::BadPin { .. })), "{result:?}");
    let found = provisioner.locate(&pin).await;
    hold!(matches!(found, Err(ProvisionError::BadPin { .. })), "{found:?}");
    Ok(())
}

async fn a_damaged_installation_is_repaired(fixture: &dyn Fixture) -> Result<(), Miss> {
    let (pin, cx) = (fixture.pin(), CallContext::new());
    let first = fixture.provisioner().ensure(&pin, &cx).await?;
    let fetched = fixture.fetches();
    if !fixture.damage().await {
        return Err(Miss::CannotRun("it cannot be damaged".into()));
    }
    let again = fixture.provisioner().ensure(&pin, &cx).await?;
    hold!(again == first, "{again:?} is not {first:?}");
    hold!(fixture.fetches() > fetched, "it was believed");
    Ok(())
}
