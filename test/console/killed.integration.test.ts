import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { apiServerFlags } from "#/apiserver/flags/index.ts";
import { run } from "#/apiserver/run.ts";
import { openConsole } from "#/console/run.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { until } from "#/testing/until.ts";
import { startKubectlServer } from "../kubectl/start-server.ts";
import { startBrowser, untilStarted } from "./start-console.ts";

test("a page whose server has ended says so, and goes on when the server is back", async () => {
  let stop: () => Promise<void> = async () => undefined;
  let start = (): void => undefined;
  await using server = await startKubectlServer(async (flags, folder) => {
    const { values } = parseFlags(apiServerFlags, [`--data-dir=${join(folder, "data")}`, ...flags]);
    start = () => {
      const end = new AbortController();
      const running = run(values, end.signal);
      running.catch(() => undefined);
      stop = async () => {
        end.abort();
        await running;
      };
    };
    start();
    return { [Symbol.asyncDispose]: () => stop() };
  });
  const kubeconfig = join(server.home, ".kube", "config");
  await using opened = await openConsole({ kubeconfig, context: "admin", port: 0 });
  const browser = await startBrowser();
  try {
    const page = await browser.newPage({ locale: "en-GB" });
    await page.goto(opened.server.newLink());
    await untilStarted(page);
    await page.evaluate(() => {
      location.hash = "#/list/configmaps?ns=default";
    });
    const create = (name: string) =>
      server.client.request({
        method: "POST",
        path: "/api/v1/namespaces/default/configmaps",
        body: { metadata: { name } },
      });
    await create("before");
    await page.locator(".table").filter({ hasText: "before" }).waitFor();
    await stop();
    await page.locator(".topbar .lost").waitFor({ timeout: 60_000 });
    assert.equal(await page.locator(".table").filter({ hasText: "before" }).count(), 1);
    start();
    await until("the server is back", () =>
      create("after").then(
        () => true,
        () => false,
      ),
    );
    await page.locator(".table").filter({ hasText: "after" }).waitFor({ timeout: 60_000 });
    await page.locator(".topbar .lost").waitFor({ state: "detached", timeout: 60_000 });
  } finally {
    await browser.close();
  }
});
