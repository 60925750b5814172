import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { until } from "#/testing/until.ts";
import { goTo, seen } from "./page-actions.ts";
import { assertAccessible, collectProblems } from "./page-problems.ts";
import {
  createEvent,
  createNamespace,
  createNode,
  createPod,
  running,
  waiting,
} from "./sample-objects.ts";
import { startConsole, type TestConsole } from "./start-console.ts";

/** Texts of the pages in each language, as users see them. */
const languages = [
  {
    locale: "en-GB",
    terminal: "Terminal",
    colorScheme: "light",
    now: "Now",
    stuck: "Stuck",
    overview: "Overview",
    all: "All kinds",
    empty: "None here",
  },
  {
    locale: "zh-TW",
    terminal: "終端機",
    colorScheme: "dark",
    now: "現況",
    stuck: "卡住",
    overview: "概觀",
    all: "所有種類",
    empty: "這裡沒有物件",
  },
  {
    locale: "zh-CN",
    terminal: "终端",
    colorScheme: "light",
    now: "现状",
    stuck: "卡住",
    overview: "概览",
    all: "所有种类",
    empty: "这里没有对象",
  },
] as const;

describe("the console's pages", () => {
  let opened: TestConsole;
  before(async () => {
    opened = await startConsole();
    await createNamespace(opened, "shop");
    await createNode(opened, "node-1");
    await createNode(opened, "node-2", { isReady: false });
    const pod = { namespace: "shop", node: "node-1", labels: { app: "web" } };
    await createPod(opened, { ...pod, name: "web-1", status: running("2026-01-01T00:00:00Z") });
    const status = waiting("CrashLoopBackOff", "back-off 40s", 7);
    await createPod(opened, { ...pod, name: "web-2", status });
    const about = { namespace: "shop", about: "web-2", reason: "BackOff" };
    await createEvent(opened, {
      ...about,
      name: "e1",
      type: "Warning",
      message: "Back-off restarting",
    });
    await opened.create("/apis/apps/v1/namespaces/shop/deployments", deployment("web", 3));
  });
  after(() => opened[Symbol.asyncDispose]());

  for (const { locale, colorScheme, now, stuck, overview, all, empty, terminal } of languages) {
    test(`every page is whole and free of barriers in ${locale}, ${colorScheme}`, async () => {
      const page = await opened.openAs("admin", { locale, colorScheme });
      // The heartbeat of what is silent is looked up; node-2 and controllers never had one here.
      const problems = collectProblems(page, /\/leases\/(?:node-2|kube-controller-manager)$/);
      await seen(page, "h1", now);
      await seen(page, ".troubles", "CrashLoopBackOff");
      await seen(page, ".stuck h2", stuck);
      await seen(page, ".cells", "node-2");
      await seen(page, ".feed", "Back-off restarting");
      await assertAccessible(page, "now");
      await goTo(page, "#/list/pods");
      await seen(page, ".table", "web-1");
      await assertAccessible(page, "list");
      await goTo(page, "#/list/jobs.batch");
      await seen(page, ".note", empty);
      await assertAccessible(page, "empty list");
      await goTo(page, "#/kinds");
      await seen(page, "h1", all);
      await assertAccessible(page, "kinds");
      await goTo(page, "#/object/pods/shop/web-2");
      await seen(page, "[role=tab][aria-selected=true]", overview);
      await seen(page, ".tab-content", "back-off 40s");
      await assertAccessible(page, "object");
      for (const [tab, text] of [
        ["why", "CrashLoopBackOff"],
        ["journey", /\d ?ms|\d ?s/],
        ["history", "admin"],
        ["scheduling", /./],
        ["logs", /./],
        ["events", "Back-off restarting"],
        ["yaml", "CrashLoopBackOff"],
        ["related", "node-1"],
      ] as const) {
        await goTo(page, `#/object/pods/shop/web-2/${tab}`);
        await seen(page, ".tab-content", text);
        await assertAccessible(page, tab);
      }
      await goTo(page, "#/map");
      await page.waitForSelector("canvas.map");
      await assertAccessible(page, "map");
      await goTo(page, "#/learn");
      await seen(page, ".lesson", "kubectl");
      await assertAccessible(page, "learn");
      await goTo(page, "#/terminal");
      await seen(page, "h1", terminal);
      await seen(page, ".terminal-row", /^\$/);
      await assertAccessible(page, "terminal");
      await goTo(page, "#/now");
      // The terminal has this key, too.
      await page.waitForSelector(".terminal-row", { state: "detached" });
      await page.keyboard.press("Control+k");
      await seen(page, ".palette-list", "Pods");
      await assertAccessible(page, "palette");
      assert.deepEqual(problems, []);
      await page.context().close();
    });
  }

  test("a list is live, is filtered, sorted and used with keys, and its URL says so", async () => {
    const page = await opened.openAs("admin");
    await goTo(page, "#/list/configmaps?ns=shop");
    await page.waitForSelector(".note");
    for (const name of ["one", "two", "three"]) {
      await opened.create("/api/v1/namespaces/shop/configmaps", { metadata: { name } });
    }
    await rowsAre(page, ["one", "three", "two"]);
    await page.keyboard.press("/");
    await page.keyboard.type("t");
    await rowsAre(page, ["three", "two"]);
    assert.match(page.url(), /q=t/);
    await page.keyboard.press("Enter");
    await page.click("[role=columnheader] button");
    await rowsAre(page, ["two", "three"]);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await seen(page, "h1", "three");
    await opened.server.client.request({
      method: "DELETE",
      path: "/api/v1/namespaces/shop/configmaps/three",
    });
    await seen(page, ".page-head", "Deleted");
    await page.context().close();
  });

  test("the palette finds pages, kinds and objects, and the language and theme can be chosen", async () => {
    const page = await opened.openAs("admin");
    await seen(page, "h1", "Now");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("shop/web-2");
    await seen(page, ".choice[aria-selected=true]", "shop/web-2");
    await page.keyboard.press("Enter");
    await seen(page, "h1", "web-2");
    await page.click("button[aria-label=Appearance]");
    await page.click("[role=menuitemradio]:has-text('Dark')");
    assert.equal(
      await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme),
      "dark",
    );
    await page.click("button[aria-label=Language]");
    await page.click("[role=menuitemradio]:has-text('繁體中文')");
    await seen(page, "[role=tab]", "概觀");
    await page.reload();
    await seen(page, "[role=tab]", "概觀");
    await page.keyboard.press("?");
    await seen(page, "dialog", "快速鍵");
    await page.context().close();
  });

  test("a change is reviewed by the server and names the owners of fields before it is stored", async () => {
    const page = await opened.openAs("admin");
    const path = "/apis/apps/v1/namespaces/shop/deployments/web";
    await goTo(page, "#/object/deployments.apps/shop/web/yaml");
    await page.click("button.primary");
    const text = await page.inputValue("textarea");
    await page.fill("textarea", text.replace("replicas: 3", "replicas: many"));
    await page.click("button.primary");
    await seen(page, ".problem", "spec.replicas");
    await page.fill("textarea", text.replace("replicas: 3", "replicas: 5"));
    await page.click("button.primary");
    await seen(page, ".diff .added", "replicas: 5");
    await seen(page, ".owners", ".spec.replicas");
    const replicas = async () => {
      const object = await opened.server.client.request({ method: "GET", path });
      return (object as { spec: { replicas: number } }).spec.replicas;
    };
    assert.equal(await replicas(), 3);
    await page.click("button.primary");
    await seen(page, ".toasts", "web");
    assert.equal(await replicas(), 5);
    await page.context().close();
  });

  test("a change that meets another one is a conflict, and can be put over the latest version", async () => {
    const page = await opened.openAs("admin");
    const path = "/api/v1/namespaces/shop/configmaps";
    await opened.create(path, { metadata: { name: "shared" }, data: { a: "1" } });
    await goTo(page, "#/object/configmaps/shop/shared/yaml");
    await page.click("button.primary");
    const headers = { "content-type": "application/merge-patch+json" };
    const body = JSON.stringify({ data: { b: "2" } });
    await opened.server.client.request({ method: "PATCH", path: `${path}/shared`, headers, body });
    await page.fill("textarea", (await page.inputValue("textarea")).replace('a: "1"', 'a: "3"'));
    await page.click("button.primary");
    await seen(page, ".problem", "changed meanwhile");
    await page.click("button:has-text('latest version')");
    await page.click("button.primary:has-text('Review')");
    await seen(page, ".diff", 'a: "3"');
    await page.context().close();
  });

  test("the versions of an object are gone through in time, with the arrow keys", async () => {
    const path = "/api/v1/namespaces/shop/configmaps";
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "paint" } };
    await opened.create(path, { ...map, data: { wall: "white" } });
    const body = { ...map, data: { wall: "green" } };
    await opened.server.client.request({ method: "PUT", path: `${path}/paint`, body });
    const page = await opened.openAs("admin");
    await goTo(page, "#/object/configmaps/shop/paint/history");
    await seen(page, ".scrubber", "2/2");
    await seen(page, ".tab-content", "green");
    await page.locator(".scrubber input").focus();
    await page.keyboard.press("ArrowLeft");
    await seen(page, ".scrubber", "1/2");
    await seen(page, ".history-item[aria-selected=true]", "create");
    await page.context().close();
  });

  test("an object is deleted and scaled only after a question", async () => {
    const page = await opened.openAs("admin");
    await opened.create("/api/v1/namespaces/shop/configmaps", { metadata: { name: "old" } });
    await goTo(page, "#/object/configmaps/shop/old");
    await page.click(".actions button.danger");
    await seen(page, "dialog", "kubectl delete configmaps old -n shop");
    await page.click("dialog button.danger");
    await seen(page, ".page-head", "Deleted");
    await goTo(page, "#/object/deployments.apps/shop/web");
    await page.click(".actions button:has-text('Scale')");
    await page.fill("#replicas", "1");
    await page.click("dialog button.primary");
    await seen(page, ".page-head", "0/1");
    await page.context().close();
  });

  test("on a phone nothing is wider than the screen, and the menu opens", async () => {
    const page = await opened.openAs("admin", {
      viewport: { width: 360, height: 700 },
      hasTouch: true,
    });
    for (const hash of ["#/now", "#/list/pods", "#/object/pods/shop/web-2", "#/kinds"]) {
      await goTo(page, hash);
      await page.waitForSelector(".page");
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 360, `${hash} is ${width} wide`);
      await assertAccessible(page, hash);
    }
    await page.click(".menu-button");
    await page.click(".sidebar a:has-text('Deployments')");
    await seen(page, "h1", "Deployments");
    await page.context().close();
  });
});

const deployment = (name: string, replicas: number) => ({
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "main", image: "nginx:1.29" }] },
    },
  },
});

async function rowsAre(page: Page, names: readonly string[]): Promise<void> {
  await until(`rows ${names.join()}`, async () => {
    const found = await page.locator(".table-view .name").allInnerTexts();
    return found.join() === names.join();
  });
}
