import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

/**
 * A watch that ends when a page is left before it has begun; and requests that Chromium gives up as interfaces come and go,
 * which those of other tests' clusters do: the page sends them again.
 */
const harmless = /closed before the connection is established|net::ERR_NETWORK_CHANGED/;

const notFound = /status of 404 \((?:Not Found)?\)/;

/**
 * Collects what a page reports as errors: exceptions, refused resources, violations of its policy. Only paths that match
 * `absent` may be answered with 404.
 */
export function collectProblems(page: Page, absent?: RegExp): string[] {
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(`exception: ${error.message}`));
  page.on("console", (message) => {
    const text = message.text();
    if (!["error", "warning"].includes(message.type()) || harmless.test(text)) return;
    const { url } = message.location();
    if (notFound.test(text) && absent?.test(new URL(url).pathname)) return;
    problems.push(`console: ${text} ${url}`);
  });
  return problems;
}

const axeFile = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** Asserts that axe-core finds no barrier for people in a page as it is. */
export async function assertAccessible(page: Page, name: string): Promise<void> {
  // Its source is evaluated by the debugger's protocol: the page's policy would refuse a script.
  if (!(await page.evaluate(() => "axe" in window))) {
    await page.evaluate(await readFile(axeFile, "utf8"));
  }
  const { violations } = await page.evaluate(() =>
    (window as unknown as { axe: { run(): Promise<AxeResult> } }).axe.run(),
  );
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = "" }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
  assert.deepEqual(found, [], name);
}
