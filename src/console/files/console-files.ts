import { createHash } from "node:crypto";
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { fileHeaders, pageHeaders } from "./console-headers.ts";
import { consolePage } from "./console-page.ts";
import { EncodedFile } from "./encode-file.ts";
import { neededFirst, readModuleGraph } from "./module-graph.ts";
import { pageModules } from "./page-modules.ts";
import { stripModule } from "./strip-module.ts";
import { vendorModules } from "./vendor-modules.ts";

/** Path of the console on a server. */
export const consolePath = "/console/";

/** A request for a file. */
interface FileRequest {
  readonly method: string;
  readonly path: string;
  readonly acceptEncoding: string;
  /** How users log in at an OpenID provider; undefined if they don't. */
  readonly login?: ProviderLogin | undefined;
}

/** The page's client at an OpenID provider: public, without a secret. */
export interface ProviderLogin {
  readonly issuer: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** The response to it. */
interface FileReply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

const root = join(import.meta.dirname, "../../..");
const entry = relative(root, fileURLToPath(new URL("../app/main.ts", import.meta.url)));
const styleFolder = "src/console/app/styles";
const icon = `${styleFolder}/icon.svg`;

const mediaTypes: readonly (readonly [ending: string, type: string])[] = [
  [".css", "text/css; charset=utf-8"],
  [".svg", "image/svg+xml"],
  [".json", "application/json"],
  ["", "text/javascript; charset=utf-8"],
];

/** The files by their path below the console's, and the page. */
interface FileSet {
  readonly files: ReadonlyMap<string, EncodedFile>;
  readonly page: EncodedFile;
  readonly importMapHash: string;
}

/**
 * The console's files, read at the first request for one and then kept. Each has the digest of all in its path, so that
 * browsers keep it for ever. Reading them needs no rights: they are the same for everyone.
 */
let reading: Promise<FileSet> | undefined;

function fileSet(): Promise<FileSet> {
  reading ??= readFiles().catch((error: unknown) => {
    reading = undefined;
    throw error;
  });
  return reading;
}

/** Answers a request for a file of the console; undefined for other paths. */
export async function answerConsole(request: FileRequest): Promise<FileReply | undefined> {
  const { method, path } = request;
  if (path === consolePath.slice(0, -1)) return redirectReply(consolePath);
  if (!path.startsWith(consolePath)) return undefined;
  if (method !== "GET" && method !== "HEAD") return plainReply(405, "method not allowed\n");
  const name = path.slice(consolePath.length);
  const { login } = request;
  if (name === "login") return jsonReply(login ?? {});
  const set = await fileSet();
  if (name === "") {
    const headers = pageHeaders(set.importMapHash, login?.issuer);
    return fileReply(set.page, request, { ...headers, ...fresh });
  }
  const file = set.files.get(name);
  return file ? fileReply(file, request, kept) : plainReply(404, "404 page not found\n");
}

const fresh = { "cache-control": "no-cache" };
const kept = { ...fileHeaders, "cache-control": "public, max-age=31536000, immutable" };

async function fileReply(
  file: EncodedFile,
  { method, acceptEncoding }: FileRequest,
  headers: Readonly<Record<string, string>>,
): Promise<FileReply> {
  const { bytes, encoding } = await file.forClient(acceptEncoding);
  return {
    status: 200,
    headers: {
      "content-type": file.type,
      "content-length": String(bytes.length),
      vary: "accept-encoding",
      ...(encoding === undefined ? {} : { "content-encoding": encoding }),
      ...headers,
    },
    body: method === "HEAD" ? new Uint8Array() : bytes,
  };
}

const plainReply = (status: number, text: string): FileReply => ({
  status,
  headers: { ...fileHeaders, "content-type": "text/plain; charset=utf-8" },
  body: Buffer.from(text),
});

const jsonReply = (value: object): FileReply => ({
  status: 200,
  headers: { ...fileHeaders, ...fresh, "content-type": "application/json" },
  body: Buffer.from(JSON.stringify(value)),
});

const redirectReply = (location: string): FileReply => ({
  status: 308,
  headers: { ...fileHeaders, location },
  body: new Uint8Array(),
});

async function readFiles(): Promise<FileSet> {
  const graph = await readModuleGraph({
    root,
    entries: [entry],
    packages: vendorModules,
    replaced: pageModules,
  });
  const texts = new Map([...graph].map(([path, { source }]) => [path, source]));
  const styles = globSync(`${styleFolder}/*.css`, { cwd: root }).sort();
  for (const path of [...styles, icon]) texts.set(path, await readFile(join(root, path), "utf8"));
  texts.set(kubectlFiles, await readKubectlFiles());
  const digest = createHash("sha256");
  for (const [path, text] of texts) digest.update(`${path}\0${text}\0`);
  const folder = `v/${digest.digest("base64url").slice(0, 16)}`;
  const page = consolePage({
    folder,
    entry,
    modules: neededFirst(graph, entry),
    styles,
    icon,
    packages: vendorModules,
    replaced: pageModules,
  });
  const files = Array.from(texts, ([path, text]) => {
    const served = path.endsWith(".ts") ? () => stripModule(text) : () => text;
    return [`${folder}/${path}`, new EncodedFile(typeOf(path), served)] as const;
  });
  return {
    files: new Map(files),
    page: new EncodedFile("text/html; charset=utf-8", () => page.html),
    importMapHash: page.importMapHash,
  };
}

/** Path of the files that kubectl reads while it runs in the page, in one. */
const kubectlFiles = "kubectl-files.json";

async function readKubectlFiles(): Promise<string> {
  const paths = globSync(["src/api/**/*.json", "src/kubectl/help/texts/**/*.txt"], { cwd: root });
  const read = paths
    .sort()
    .map(async (path) => [path, await readFile(join(root, path), "utf8")] as const);
  return JSON.stringify(Object.fromEntries(await Promise.all(read)));
}

const typeOf = (path: string): string =>
  mediaTypes.find(([ending]) => path.endsWith(ending))?.[1] ?? "";
