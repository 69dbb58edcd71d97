"""A client of `understory mcp`: one process, one repository, calls one after the other."""

import json
import subprocess


class Server:
    """The tools of one repository, as a model gets them."""

    def __init__(self, binary, repository, cache, stage=False):
        command = [binary, "mcp", "--repo", repository, "--cache", cache] + (["--stage"] if stage else [])
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
        self.number = 0
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == self.number and "method" not in message:
                return message
        raise RuntimeError(f"the server ended in {method}")

    def call(self, tool, arguments):
        """The text that a model reads, and the same answer as JSON."""
        message = self.request("tools/call", {"name": tool, "arguments": arguments})
        if "error" in message:
            raise RuntimeError(f"{tool} {arguments}: {message['error']}")
        result = message["result"]
        return "".join(part["text"] for part in result["content"]), result["structuredContent"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()
