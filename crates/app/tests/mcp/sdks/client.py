"""A session with the server: client.py PROGRAM DIRECTORY, the directory holding `repo`, `other` and `cache`."""

import asyncio
import sys
from pathlib import Path

from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client

program, directory = sys.argv[1], Path(sys.argv[2])
repo = directory / "repo"


async def main() -> None:
    roots = [types.Root(uri=repo.as_uri(), name="repo")]
    changed = asyncio.Event()

    async def list_roots(_context):
        return types.ListRootsResult(roots=list(roots))

    async def heard(message):
        if isinstance(message, types.ServerNotification) and isinstance(message.root, types.ToolListChangedNotification):
            changed.set()

    server = StdioServerParameters(
        command=program, args=["mcp", "--stage", "--cache", str(directory / "cache")], cwd=repo
    )
    async with stdio_client(server) as (read, write):
        async with ClientSession(read, write, list_roots_callback=list_roots, message_handler=heard) as session:
            hello = await session.initialize()
            assert hello.serverInfo.name == "understory"
            names = [tool.name for tool in (await session.list_tools()).tools]
            assert names[:4] == ["search_code", "search_text", "read_file", "list_files"], names

            told = []

            async def progress(value, _total, _message):
                told.append(value)

            # The client checks the structured content against the output schema.
            found = await session.call_tool(
                "search_code", {"mode": "callers", "query": "charge"}, progress_callback=progress
            )
            assert found.structuredContent["hits"][0]["symbol"]["name"] == "total", found
            assert told
            for mode in ["ask", "grep", "explore"]:
                answer = await session.call_tool("search_code", {"mode": mode, "query": "charge"})
                assert answer.structuredContent["ok"], answer
            refused = await session.call_tool("read_file", {"path": "gone"})
            assert refused.structuredContent["refusal"]["code"] == "search_code.no_such_file", refused
            assert not refused.isError

            await session.call_tool("stage_write", {"path": "new.py", "content": "charge(2)\n"})
            assert not (repo / "new.py").exists()
            text = await session.call_tool("search_text", {"pattern": r"charge\(2\)"})
            assert [m["path"] for m in text.structuredContent["matches"]] == ["new.py"], text

            roots.append(types.Root(uri=(directory / "other").as_uri(), name="other"))
            await session.send_roots_list_changed()
            await asyncio.wait_for(changed.wait(), 60)
            tools = (await session.list_tools()).tools
            assert tools[0].inputSchema["properties"]["root"]["enum"] == ["repo", "other"], tools[0]
            listed = await session.call_tool("list_files", {"root": "other"})
            assert listed.structuredContent["paths"] == ["side.py"], listed


asyncio.run(main())
print("all of it")
