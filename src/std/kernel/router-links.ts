import type { RunProgram } from "../process/run-program.ts";

/**
 * The links by which a machine has default routes from routers. Where IPv6 is forwarded, the kernel takes no more routes
 * from routers, unless `accept_ra` of the link is 2.
 */
export async function routerLinks(run: RunProgram): Promise<string[]> {
  const text = await run("ip", ["-6", "-j", "route", "show", "default", "proto", "ra"]);
  const routes = text.trim() === "" ? [] : (JSON.parse(text) as { readonly dev?: string }[]);
  return [...new Set(routes.flatMap(({ dev }) => dev ?? []))];
}

/** The kernel's setting for routes from routers, below /proc/sys. */
export const acceptRoutes = (link: string): string => `net/ipv6/conf/${link}/accept_ra`;
