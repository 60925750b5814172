/** Upstream: sigs.k8s.io/kustomize/api/internal/generators, api/kv, api/hasher. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { goJson } from "#/machinery/go-format.ts";
import { goQuote } from "#/std/go-quote.ts";
import { CommandError } from "../errors.ts";
import { sortedKeys } from "../printers/json-printer.ts";
import type { Unstructured } from "../unstructured.ts";
import { BuildResource } from "./build-resource.ts";
import type { GeneratorArgs, GeneratorOptions } from "./kustomization.ts";
import { symlinkFailure } from "./symlink-failure.ts";

export interface GeneratorContext {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly defaults: GeneratorOptions | undefined;
}

/** The ConfigMap or Secret that a generator describes. */
export async function generate(
  kind: "ConfigMap" | "Secret",
  args: GeneratorArgs,
  context: GeneratorContext,
): Promise<BuildResource> {
  const options = mergedOptions(args.options, context.defaults);
  const { name = "", namespace, labels, annotations } = { ...args, ...options };
  const metadata = {
    name,
    ...(namespace && { namespace }),
    ...(labels && Object.keys(labels).length > 0 && { labels: { ...labels } }),
    ...(annotations && Object.keys(annotations).length > 0 && { annotations: { ...annotations } }),
  };
  const object: Unstructured = { apiVersion: "v1", kind, metadata };
  const pairs = await readPairs(args, context);
  if (kind === "Secret") object["type"] = args.type ?? "Opaque";
  for (const [key, value] of pairs) addPair(object, kind, key, value);
  if (options.immutable) object["immutable"] = true;
  const resource = new BuildResource(object);
  resource.needsHash = !options.disableNameSuffixHash;
  resource.behavior = args.behavior ?? "";
  return resource;
}

function mergedOptions(
  own: GeneratorOptions = {},
  defaults: GeneratorOptions = {},
): GeneratorOptions {
  return {
    labels: { ...defaults.labels, ...own.labels },
    annotations: { ...defaults.annotations, ...own.annotations },
    disableNameSuffixHash:
      own.disableNameSuffixHash === true || defaults.disableNameSuffixHash === true,
    immutable: own.immutable === true || defaults.immutable === true,
  };
}

function addPair(object: Unstructured, kind: string, key: string, value: Buffer): void {
  const isText = isUtf8(value);
  const field = kind === "ConfigMap" && !isText ? "binaryData" : "data";
  object[field] ??= {};
  (object[field] as Record<string, string>)[key] =
    kind === "ConfigMap" && isText ? value.toString("utf8") : value.toString("base64");
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

type Pairs = Map<string, Buffer>;

async function readPairs(args: GeneratorArgs, context: GeneratorContext): Promise<Pairs> {
  const pairs: Pairs = new Map();
  const add = (key: string, value: Buffer): void => {
    if (!/^[-._a-zA-Z0-9]+$/.test(key)) {
      throw new CommandError(`${goQuote(key)} is not a valid key name for a ConfigMap`);
    }
    if (pairs.has(key)) {
      throw new CommandError(`configmap ${args.name ?? ""} illegally repeats the key \`${key}\``);
    }
    pairs.set(key, value);
  };
  for (const name of [...(args.envs ?? []), ...(args.env ? [args.env] : [])]) {
    for (const [key, value] of envPairs(await readSource(context, name), context)) add(key, value);
  }
  for (const literal of args.literals ?? []) add(...literalPair(literal));
  for (const source of args.files ?? []) {
    const [key, path] = fileSource(source);
    add(key, await readSource(context, path));
  }
  return pairs;
}

async function readSource({ folder }: GeneratorContext, name: string): Promise<Buffer> {
  const path = resolve(folder, name);
  try {
    return await readFile(path);
  } catch (error) {
    const reason = symlinkFailure(path, error);
    throw new CommandError(`loading KV pairs: file sources: [${name}]: ${reason}`, {
      cause: error,
    });
  }
}

function literalPair(literal: string): [string, Buffer] {
  const equals = literal.indexOf("=");
  if (equals <= 0) {
    throw new CommandError(
      `loading KV pairs: literal sources [${literal}]: invalid literal source ${literal}, expected key=value`,
    );
  }
  const value = literal.slice(equals + 1);
  return [
    literal.slice(0, equals),
    Buffer.from(/^"[^"]*"$|^'[^']*'$/.test(value) ? value.slice(1, -1) : value),
  ];
}

function fileSource(source: string): [key: string, path: string] {
  const [key = "", path, ...others] = source.split("=");
  if (path === undefined) return [basename(source), source];
  if (others.length > 0) {
    throw new CommandError(`source ${goQuote(source)} key name or file path contains '='`);
  }
  if (key === "") {
    throw new CommandError(
      `missing key name for file path ${goQuote(path)} in source ${goQuote(source)}`,
    );
  }
  if (path === "") {
    throw new CommandError(
      `missing file path for key name ${goQuote(key)} in source ${goQuote(source)}`,
    );
  }
  return [key, path];
}

/** The lines of an env file; a name alone takes its value from the environment. */
function* envPairs(bytes: Buffer, { env }: GeneratorContext): Generator<[string, Buffer]> {
  for (const line of bytes
    .toString("utf8")
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)) {
    const text = line.trimStart();
    if (text === "" || text.startsWith("#")) continue;
    const equals = text.indexOf("=");
    if (equals >= 0) yield [text.slice(0, equals), Buffer.from(text.slice(equals + 1))];
    else yield [text, Buffer.from(env[text] ?? "")];
  }
}

/** The end of the name of a generated object, which changes with its content. */
export function hashSuffix(object: Unstructured): string {
  const hex = createHash("sha256").update(hashedText(object)).digest("hex").slice(0, 10);
  return hex.replace(/[013ae]/g, (digit) => safeDigits[digit] ?? digit);
}

const safeDigits: Readonly<Record<string, string>> = { 0: "g", 1: "h", 3: "k", a: "m", e: "t" };

/** The name counts as empty, whatever it is. */
function hashedText(object: Unstructured): string {
  const { kind, type = "", data = "", binaryData, stringData } = object;
  const name = "";
  if (kind === "ConfigMap") {
    return goJson(sortedKeys({ ...(binaryData ? { binaryData } : {}), data, kind, name }));
  }
  if (kind === "Secret") {
    return goJson(sortedKeys({ data, kind, name, ...(stringData ? { stringData } : {}), type }));
  }
  return goJson(sortedKeys(object));
}
