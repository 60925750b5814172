import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

/**
 * Networks of the machine that change, watches that end when a page is left, and a diagnosis or a journey that asks for
 * what is not there.
 */
const harmless =
  /ERR_NETWORK_CHANGED|closed before the connection is established|status of 404 \(Not Found\)/;

/** Collects what a page reports as errors: exceptions, refused resources, violations of its policy. */
export function collectProblems(page: Page): string[] {
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(`exception: ${error.message}`));
  page.on("console", (message) => {
    const text = message.text();
    if (!["error", "warning"].includes(message.type()) || harmless.test(text)) return;
    problems.push(`console: ${text}`);
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
