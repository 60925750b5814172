import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { startLocalNode } from "../kubectl/local-node.ts";
import { goTo, seen, typeLine } from "./page-actions.ts";
import { assertAccessible, collectProblems } from "./page-problems.ts";
import { createNamespace, createPod, running } from "./sample-objects.ts";
import { startConsole, type TestConsole } from "./start-console.ts";

describe("the shell of a container", () => {
  let opened: TestConsole;
  let node: AsyncDisposable;
  before(async () => {
    opened = await startConsole();
    node = await startLocalNode(opened.server);
    await createNamespace(opened, "shop");
    const status = running("2026-01-01T00:00:00Z");
    await createPod(opened, { namespace: "shop", name: "web", node: "local", status });
    await writeFile(join(opened.server.box, "hello.txt"), "hello from the box\n");
  });
  after(async () => {
    await node[Symbol.asyncDispose]();
    await opened[Symbol.asyncDispose]();
  });

  test("commands run in it, its colours and cursor are drawn, and it can be started again", async () => {
    const page = await opened.openAs("admin");
    const problems = collectProblems(page);
    await goTo(page, "#/object/pods/shop/web/shell");
    await seen(page, ".terminal-lines", /[$#]/);
    await typeLine(page, "cat hello.txt");
    await seen(page, ".terminal-row", "hello from the box");
    await typeLine(page, "printf '\\033[31mred\\033[0m\\n\\033[3Gthird\\n'; echo $TERM");
    await seen(page, ".terminal-row", "xterm-256color");
    const color = await page
      .locator(".terminal-row span", { hasText: /^red$/ })
      .first()
      .evaluate((part) => part.getAttribute("style"));
    assert.match(color ?? "", /--ansi-1/);
    await seen(page, ".terminal-row", /^ {2}third$/);
    assert.equal(await page.locator(".terminal .cursor").count(), 1);
    await assertAccessible(page, "shell");
    await typeLine(page, "exit 3");
    await seen(page, ".terminal-note", "exit code 3");
    await page.click(".terminal-note button");
    await page.locator(".terminal-note").waitFor({ state: "detached" });
    await typeLine(page, "echo again");
    await seen(page, ".terminal-row", /^again$/);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test("what a program prints is text, and changes nothing outside of the terminal", async () => {
    const page = await opened.openAs("admin");
    await goTo(page, "#/object/pods/shop/web/shell");
    await seen(page, ".terminal-lines", /[$#]/);
    await typeLine(page, "echo '<img src=x onerror=window.hacked=1>'");
    await seen(page, ".terminal-row", /^<img src=x onerror=window.hacked=1>$/);
    await typeLine(page, "printf '\\033]52;c;aGFja2Vk\\007\\033]0;<b>title\\007done\\n'");
    await seen(page, ".terminal-row", /^done$/);
    assert.equal(await page.evaluate(() => "hacked" in window), false);
    assert.doesNotMatch(await page.title(), /title/);
    await page.context().close();
  });

  test("the server's reason is shown, and a token in the page opens a shell as well", async () => {
    const window = await opened.browser.newContext({ ignoreHTTPSErrors: true, locale: "en-GB" });
    const page = await window.newPage();
    await page.goto(`https://127.0.0.1:${opened.server.port}/console/`);
    await page.fill("#token", "admintoken");
    await page.click("button[type=submit]");
    await seen(page, ".topbar", "admin");
    await goTo(page, "#/object/pods/shop/web/shell");
    await seen(page, ".terminal-lines", /[$#]/);
    await typeLine(page, "echo by token");
    await seen(page, ".terminal-row", /^by token$/);
    await opened.setStatus("/api/v1/nodes/local", { addresses: [] });
    await typeLine(page, "exit");
    await page.click(".terminal-note button");
    await seen(page, ".terminal-note.bad", "no preferred addresses");
    await window.close();
  });
});
