import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { startLocalNode } from "../kubectl/local-node.ts";
import { goTo, seen, typeLine } from "./page-actions.ts";
import { assertAccessible, collectProblems } from "./page-problems.ts";
import { createNamespace, createPod, running } from "./sample-objects.ts";
import { startConsole, type TestConsole } from "./start-console.ts";

describe("kubectl in the page", () => {
  let opened: TestConsole;
  let node: AsyncDisposable;
  before(async () => {
    opened = await startConsole();
    node = await startLocalNode(opened.server);
    await createNamespace(opened, "shop");
    const status = running("2026-01-01T00:00:00Z");
    await createPod(opened, { namespace: "shop", name: "web-1", node: "local", status });
  });
  after(async () => {
    await node[Symbol.asyncDispose]();
    await opened[Symbol.asyncDispose]();
  });

  test("it reads, writes, waits, completes, and runs commands in containers", async () => {
    const page = await opened.openAs("admin");
    const problems = collectProblems(page, /configmaps\/page$/);
    await openTerminal(page);
    await typeLine(page, "kubectl get pods -n shop");
    await seen(page, ".terminal-row", /^web-1 +1\/1 +Running/);
    await typeLine(page, "k get pods -n shop -o name | grep -c web > count");
    await typeLine(page, "cat count");
    await seen(page, ".terminal-row", /^1$/);
    for (const line of [
      "kubectl apply -f - <<END",
      "apiVersion: v1",
      "kind: ConfigMap",
      "metadata: {name: page, namespace: shop}",
      "data: {from: page}",
      "END",
    ]) {
      await typeLine(page, line);
    }
    await seen(page, ".terminal-row", /^configmap\/page created$/);
    await typeLine(page, "kubectl get cm -n shop -w -o name");
    await seen(page, ".terminal-row", /^configmap\/page$/);
    await opened.create("/api/v1/namespaces/shop/configmaps", { metadata: { name: "later" } });
    await seen(page, ".terminal-row", /^configmap\/later$/);
    await page.keyboard.press("Control+c");
    await typeLine(page, "kubectl exec -n shop web-1 -- echo said there");
    await seen(page, ".terminal-row", /^said there$/);
    await typeLine(page, "kubectl exec -it -n shop web-1 -- sh");
    await seen(page, ".terminal-row", /^[#$] *$/);
    await typeLine(page, "tty && exit 4");
    await seen(page, ".terminal-row", /^command terminated with exit code 4$/);
    await page.keyboard.type("kubectl get pods -n shop web");
    await page.keyboard.press("Tab");
    await seen(page, ".terminal-row", /pods -n shop web-1 *$/);
    await page.keyboard.press("Control+c");
    await assertAccessible(page, "terminal");
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test("what a page cannot do is refused, and nothing is left out in silence", async () => {
    const page = await opened.openAs("admin");
    await openTerminal(page);
    for (const [line, answer] of [
      ["kubectl edit pod web-1", "it runs an editor"],
      ["kubectl port-forward pod/web-1 80", "a page cannot listen on a port"],
      ["kubectl get pods --token=x", "leave out token"],
      ["kubectl get pods --server=https://elsewhere.example", "leave out --server"],
      ["kubectl exec --as=root --as-group=system:masters -n shop web-1 -- id", "leave out --as"],
      ["kubectl get pods -n shop --as=mallory", "cannot list resource"],
      ["vi x", "command not found"],
    ] as const) {
      await typeLine(page, line);
      await seen(page, ".terminal-row", answer);
    }
    await page.context().close();
  });
});

async function openTerminal(page: Page): Promise<void> {
  await goTo(page, "#/terminal");
  await seen(page, ".terminal-row", /^\$/);
}
