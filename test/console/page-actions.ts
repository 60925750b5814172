import type { Page } from "playwright-core";
import { until } from "#/testing/until.ts";

/** How long a page may take to show what it was asked for (ms), on a busy machine. */
const patienceMs = 60_000;

/** Opens a page of the console, as a click on a link does. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate((link) => {
    location.hash = link;
  }, hash);
}

/** Waits until a part of the page has a text. */
export async function seen(page: Page, selector: string, text: string | RegExp): Promise<void> {
  await page.locator(selector).filter({ hasText: text }).first().waitFor({ timeout: patienceMs });
}

/** Types a line into the terminal. */
export async function typeLine(page: Page, line: string): Promise<void> {
  await until("the terminal has the focus", async () => {
    await page.locator(".terminal-field").focus();
    return page.evaluate(() => document.activeElement?.className === "terminal-field");
  });
  await page.keyboard.type(line);
  await page.keyboard.press("Enter");
}
