/**
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/statusz,
 * staging/src/k8s.io/apiserver/pkg/server/flagz.
 */

import { writeJson } from "../codec/json/write-json.ts";
import { type Negotiated, negotiate, type Offer, wantsPretty } from "../codec/negotiate.ts";
import { writeYaml } from "../codec/yaml/yaml-writer.ts";
import { notAcceptable } from "../meta/status-error.ts";

/** A page about a component, as text for people and as an object for programs. */
export interface ZPage {
  /** The path without its leading slash. */
  readonly name: "statusz" | "flagz";
  readonly component: string;
  /** Fields of the structured form. */
  fields(): Readonly<Record<string, unknown>>;
  /** The text form, below the heading. */
  text(): string;
}

interface ZPageRequest {
  readonly accept: string | undefined;
  readonly query: URLSearchParams;
  readonly userAgent: string | undefined;
}

interface ZPageReply {
  readonly contentType: string;
  readonly body: string;
  readonly warning?: string;
}

type PageType = "application/json" | "application/yaml" | "text/plain";

const pageTypes: readonly PageType[] = ["application/json", "application/yaml", "text/plain"];
const group = "config.k8s.io";

/** The structured forms; the older ones are deprecated but still served. */
const isDeprecated = new Map([
  ["v1beta1", false],
  ["v1alpha1", true],
]);

const kinds = { statusz: "Statusz", flagz: "Flagz" } as const;
const offers = { statusz: offerOf("Statusz"), flagz: offerOf("Flagz") } as const;

function offerOf(kind: string): Offer<PageType> {
  return {
    mediaTypes: pageTypes,
    allows: (mediaType, convertTo) =>
      mediaType === "text/plain"
        ? convertTo === undefined
        : convertTo?.group === group &&
          convertTo.kind === kind &&
          isDeprecated.has(convertTo.version),
  };
}

/**
 * Serves a page in a form that the client accepts: text, or an object that is requested by kind and
 * version.
 */
export function answerZPage(page: ZPage, request: ZPageRequest): ZPageReply {
  const { accept = "" } = request;
  if (accept.trim() === "") return plainReply(page);
  const chosen = negotiate(accept, offers[page.name]);
  if (!chosen) throw notAcceptable(pageTypes);
  return chosen.convertTo === undefined
    ? plainReply(page)
    : objectReply(page, chosen, chosen.convertTo.version, request);
}

function plainReply(page: ZPage): ZPageReply {
  const heading = `\n${page.component} ${page.name}\nWarning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.\n`;
  return { contentType: "text/plain; charset=utf-8", body: `${heading}${page.text()}` };
}

function objectReply(
  page: ZPage,
  { mediaType, pretty }: Negotiated<PageType>,
  version: string,
  { query, userAgent }: ZPageRequest,
): ZPageReply {
  const kind = kinds[page.name];
  const value = {
    kind,
    apiVersion: `${group}/${version}`,
    metadata: { name: page.component },
    ...page.fields(),
  };
  const indented = pretty || wantsPretty(query.get("pretty") ?? undefined, userAgent);
  const json = () => (indented ? writeJson(value, { pretty: true }) : `${writeJson(value)}\n`);
  const body = mediaType === "application/yaml" ? writeYaml(value) : json();
  const warning = `299 - "This version of the ${page.name} endpoint is deprecated. Please use a newer version."`;
  return {
    contentType: `${mediaType};g=${group};v=${version};as=${kind}`,
    body,
    ...(isDeprecated.get(version) ? { warning } : {}),
  };
}

interface StatuszOptions {
  readonly component: string;
  /** The version of Kubernetes, without the v. */
  readonly version: string;
  readonly startedMs: number;
  readonly now: () => number;
  /** All served paths. */
  readonly paths: () => readonly string[];
}

/** The statusz page: versions, start time, and paths for further information. */
export function statuszPage(options: StatuszOptions): ZPage {
  const { component, version } = options;
  const started = new Date(Math.floor(options.startedMs / 1000) * 1000);
  const uptime = () => Math.max(0, Math.floor((options.now() - started.getTime()) / 1000));
  const goVersion = `node${process.versions.node}`;
  const emulationVersion = version.split(".").slice(0, 2).join(".");
  return {
    name: "statusz",
    component,
    fields: () => ({
      startTime: started.toISOString().replace(".000Z", "Z"),
      uptimeSeconds: uptime(),
      goVersion,
      binaryVersion: version,
      emulationVersion,
      paths: debuggingPaths(options.paths()),
    }),
    text: () =>
      [
        "",
        `Started: ${unixDate(started)}`,
        `Up: ${formatUptime(uptime())}`,
        `Go version: ${goVersion}`,
        `Binary version: ${version}`,
        `Emulation version: ${emulationVersion}`,
        `Paths: ${debuggingPaths(options.paths()).join(" ")}`,
        "",
      ].join("\n"),
  };
}

/** The flagz page: the flags of the component. */
export function flagzPage(component: string, flags: Readonly<Record<string, string>>): ZPage {
  const names = Object.keys(flags).sort();
  return {
    name: "flagz",
    component,
    fields: () => ({ flags: Object.fromEntries(names.map((name) => [name, flags[name]])) }),
    text: () => names.map((name) => `${name}: ${flags[name]}\n`).join(""),
  };
}

/** Paths of the API itself; statusz does not list them. */
const apiFolders: ReadonlySet<string> = new Set([
  ...["/apis", "/api", "/openid", "/openapi", "/.well-known"],
]);

function debuggingPaths(paths: readonly string[]): string[] {
  const folders = paths.map((path) => `/${path.split("/")[1] ?? ""}`);
  return [...new Set(folders)].filter((folder) => folder !== "/" && !apiFolders.has(folder)).sort();
}

function formatUptime(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  return `${Math.floor(minutes / 60)} hr ${two(minutes % 60)} min ${two(seconds % 60)} sec`;
}

/** In the format of Unix's date: `Mon Nov 16 09:07:03 UTC 2026`. */
function unixDate(time: Date): string {
  const [day, date, month, year, clock] = time.toUTCString().replace(",", "").split(" ");
  return `${day} ${month} ${String(Number(date)).padStart(2)} ${clock} UTC ${year}`;
}
