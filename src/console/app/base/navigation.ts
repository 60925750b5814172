import { signal } from "@preact/signals";
import { formatRoute, parseRoute, type Route } from "../model/route.ts";

/** The page that the URL names. */
export const route = signal<Route>(parseRoute(location.hash));

/** Follows the URL from now on. */
export function followUrl(): void {
  addEventListener("hashchange", () => {
    route.value = parseRoute(location.hash);
  });
}

/** Opens a page. */
export function openPage(link: string): void {
  if (location.hash !== link) location.hash = link;
}

/** Changes parameters of the page in the URL, without a step in the browser's history. */
export function changeQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const { path, query } = route.peek();
  const link = formatRoute(path, { ...query, ...changes });
  history.replaceState(null, "", link);
  route.value = parseRoute(link);
}
