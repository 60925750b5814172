/** The Learn page in a real Chromium: what it makes on a real API server, step by step, and how it is cleaned up. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { until } from "#/testing/until.ts";
import { goTo, seen } from "./page-actions.ts";
import { assertAccessible, collectProblems } from "./page-problems.ts";
import { createNamespace } from "./sample-objects.ts";
import { startConsole, type TestConsole } from "./start-console.ts";

let opened: TestConsole;
before(async () => {
  opened = await startConsole();
  await createNamespace(opened, "shop");
});
after(() => opened[Symbol.asyncDispose]());

const languages = [
  { locale: "en-GB", recipe: "Above a quota", back: "Step back", made: "What you have made" },
  { locale: "zh-TW", recipe: "超出配額", back: "上一步", made: "您建立的物件" },
  { locale: "zh-CN", recipe: "超出配额", back: "上一步", made: "您创建的对象" },
] as const;

const chosen = (page: Page) => page.locator(".made.chosen");
const place = (page: Page) => page.locator(".player .count").textContent();

for (const [index, { locale, recipe, back, made }] of languages.entries()) {
  test(`the Learn page goes through the steps of what it has made, in ${locale}`, async () => {
    const colorScheme = index === 1 ? "dark" : "light";
    const page = await opened.openAs("admin", { locale, colorScheme });
    const problems = collectProblems(page);
    await goTo(page, "#/learn?ns=shop");
    await page.locator(".recipe").filter({ hasText: recipe }).click();
    await chosen(page).filter({ hasText: "replicaset/learn-quota" }).waitFor();
    await seen(page, "h2", made);
    await seen(page, ".step-card h3", /./);
    await page.getByRole("button", { name: back, exact: true }).click();
    await page.locator(".lesson.current").waitFor();
    const first = await place(page);
    await page.keyboard.press("Enter");
    await until("the step before is shown", async () => (await place(page)) !== first);
    await assertAccessible(page, `learn, ${locale}`);
    await page.setViewportSize({ width: 400, height: 800 });
    const isWide = await page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
    assert.equal(isWide, false, "the page must not scroll sideways on a phone");
    await assertAccessible(page, `learn on a phone, ${locale}`);
    assert.deepEqual(problems, []);
    await page.context().close();
  });
}

test("playing goes on by itself to the present, and pausing stops it", async () => {
  const page = await opened.openAs("admin");
  await goTo(page, "#/learn?ns=shop");
  await page.locator(".recipe.good").click();
  await chosen(page).filter({ hasText: "learn-good" }).waitFor();
  await seen(page, ".player", "Play");
  await page.getByRole("button", { name: "Play" }).click();
  await seen(page, ".player .count", /^step 2 of/);
  await page.getByRole("button", { name: "Pause" }).click();
  const stopped = await place(page);
  await page.getByRole("button", { name: "Step forward" }).click();
  assert.notEqual(await place(page), stopped);
  await page.getByRole("button", { name: "To the present" }).click();
  await page.locator(".lesson.current").waitFor({ state: "detached" });
  await page.context().close();
});

test("a Service with a wrong selector is made with its Pod, and everything is deleted at once", async () => {
  const page = await opened.openAs("admin");
  await goTo(page, "#/learn?ns=shop");
  await page.locator(".recipe").filter({ hasText: "A Service that selects nothing" }).click();
  await chosen(page).filter({ hasText: "service/learn-selector" }).waitFor();
  await seen(page, ".why-line", /selector k8ts\.dev\/learn=selektor matches no Pod/);
  await page.getByRole("button", { name: "Delete all" }).click();
  const { client } = opened.server;
  const left = async (path: string): Promise<number> => {
    const query = new URLSearchParams({ labelSelector: "k8ts.dev/learn" });
    const list = await client.request({ method: "GET", path, query });
    return (list as { items: readonly unknown[] }).items.length;
  };
  const core = "/api/v1/namespaces/shop";
  for (const path of [
    `${core}/services`,
    `${core}/resourcequotas`,
    "/apis/apps/v1/namespaces/shop/replicasets",
    `${core}/pods`,
  ])
    await until(`${path} has none left`, async () => (await left(path)) === 0);
  await seen(page, ".note", "No Pod yet");
  await page.context().close();
});
