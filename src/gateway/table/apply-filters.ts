import { findField } from "#/std/http1/fields.ts";
import type { RequestedTarget } from "./request-target.ts";
import type { Cors, HeaderChanges, PathChange, Redirect } from "./route-target.ts";

/** Fields with changes. Names, in lower case, and values alternate. */
export function changeFields(fields: readonly string[], changes: HeaderChanges): string[] {
  const replaced = new Set([...changes.remove, ...changes.set.map(([name]) => name)]);
  const kept: string[] = [];
  const added = changes.add.filter(([name]) => !replaced.has(name));
  const joined = new Map(added);
  for (let at = 0; at < fields.length; at += 2) {
    const [name = "", value = ""] = [fields[at], fields[at + 1]];
    if (replaced.has(name)) continue;
    const more = joined.get(name);
    joined.delete(name);
    kept.push(name, more === undefined ? value : `${value},${more}`);
  }
  for (const [name, value] of changes.set) kept.push(name, value);
  for (const [name, value] of joined) kept.push(name, value);
  return kept;
}

/** A path with a change. */
export function changePath(path: string, change: PathChange): string {
  if (change.kind === "full") return change.path;
  const rest = path.slice(change.matched.replace(/\/$/, "").length);
  const base = change.path.replace(/\/$/, "");
  const joined = rest === "" || rest.startsWith("/") ? base + rest : `${base}/${rest}`;
  return joined || "/";
}

const defaultPorts: Readonly<Record<string, number>> = { http: 80, https: 443 };

/** The Location of a redirect. A port that the scheme implies is left out. */
export function locationOf(
  { scheme, host, port, path }: Redirect,
  target: RequestedTarget,
  connection: { readonly scheme: "http" | "https"; readonly port: number },
): string {
  const chosenScheme = scheme ?? connection.scheme;
  const chosenPort = port ?? (scheme ? defaultPorts[scheme] : connection.port);
  const isImplied = chosenPort === undefined || chosenPort === defaultPorts[chosenScheme];
  const name = `${host ?? target.host}${isImplied ? "" : `:${chosenPort}`}`;
  const chosenPath = path ? changePath(target.path, path) : target.path;
  return `${chosenScheme}://${name}${chosenPath}${target.query}`;
}

/** Whether a request only asks what a page may do. */
export const isPreflight = (method: string, fields: readonly string[]): boolean =>
  method === "OPTIONS" &&
  findField(fields, "origin") !== undefined &&
  findField(fields, "access-control-request-method") !== undefined;

/** The fields that let pages of an origin read the response; none if it is not allowed. */
export function corsFields(cors: Cors, fields: readonly string[], preflight: boolean): string[] {
  const origin = findField(fields, "origin");
  if (origin === undefined || !cors.origins.some((one) => allows(one, origin))) return [];
  const isAny = cors.origins.includes("*") && !cors.allowsCredentials;
  const given = ["access-control-allow-origin", isAny ? "*" : origin];
  if (!isAny) given.push("vary", "origin");
  if (cors.allowsCredentials) given.push("access-control-allow-credentials", "true");
  if (cors.exposed.length > 0) given.push("access-control-expose-headers", cors.exposed.join(", "));
  if (!preflight) return given;
  const method = findField(fields, "access-control-request-method") ?? "";
  const asked = findField(fields, "access-control-request-headers");
  const methods = cors.methods.includes("*") && cors.allowsCredentials ? [method] : cors.methods;
  if (methods.length > 0) given.push("access-control-allow-methods", methods.join(", "));
  const any = cors.headers.includes("*");
  const headers = any && cors.allowsCredentials ? (asked ?? "") : cors.headers.join(", ");
  if (headers !== "") given.push("access-control-allow-headers", headers);
  given.push("access-control-max-age", String(cors.maxAgeSeconds));
  return given;
}

function allows(allowed: string, origin: string): boolean {
  if (allowed === "*" || allowed.toLowerCase() === origin.toLowerCase()) return true;
  const star = allowed.indexOf("*");
  if (star < 0) return false;
  const [start, end] = [allowed.slice(0, star), allowed.slice(star + 1)];
  return (
    origin.length > start.length + end.length && origin.startsWith(start) && origin.endsWith(end)
  );
}
