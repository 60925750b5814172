/** Upstream: sigs.k8s.io/kustomize/api/kv, api/internal/generators/utils.go. */
import { isUtf8 } from "node:buffer";
import { basename } from "node:path";
import { goQuote } from "#/std/go/go-quote.ts";
import { doing, KustomizeError } from "../failure/kustomize-error.ts";
import type { Loader } from "../files/loader.ts";
import type { GeneratorArgs } from "../kustomization/kustomization.ts";

type Pair = readonly [key: string, value: Buffer];

/** The entries of a generated object, from env files, literals and files. */
export function loadPairs(args: GeneratorArgs, loader: Loader): Map<string, Buffer> {
  const { envs = [], literals = [], files = [] } = args;
  const goList = (list: readonly string[]): string => `[${list.join(" ")}]`;
  const loaded = doing("loading KV pairs", (): Pair[] => [
    ...doing(`env source files: ${goList(envs)}`, () =>
      envs.flatMap((path) => [...variables(loader.load(path))]),
    ),
    ...doing(`literal sources ${goList(literals)}`, () => literals.map(literalPair)),
    ...doing(`file sources: ${goList(files)}`, () =>
      files.map((source): Pair => {
        const [key, path] = fileSource(source);
        return [key, loader.load(path)];
      }),
    ),
  ]);
  const pairs = new Map<string, Buffer>();
  for (const [key, value] of loaded) {
    if (pairs.has(key)) {
      throw new KustomizeError(`configmap ${args.name ?? ""} illegally repeats the key \`${key}\``);
    }
    pairs.set(key, value);
  }
  return pairs;
}

function literalPair(literal: string): Pair {
  const equals = literal.indexOf("=");
  if (equals <= 0) {
    throw new KustomizeError(`invalid literal source ${literal}, expected key=value`);
  }
  const value = literal.slice(equals + 1);
  const isQuoted = value.length > 1 && /^(["']).*\1$/s.test(value);
  return [literal.slice(0, equals), Buffer.from(isQuoted ? value.slice(1, -1) : value)];
}

function fileSource(source: string): [key: string, path: string] {
  const [key = "", path, ...others] = source.split("=");
  if (path === undefined) return [basename(source), source];
  if (others.length > 0) {
    throw new KustomizeError(`source ${goQuote(source)} key name or file path contains '='`);
  }
  if (key === "") {
    throw new KustomizeError(
      `missing key name for file path ${goQuote(path)} in source ${goQuote(source)}`,
    );
  }
  if (path !== "") return [key, path];
  throw new KustomizeError(
    `missing file path for key name ${goQuote(key)} in source ${goQuote(source)}`,
  );
}

/** The lines of an env file. */
function* variables(bytes: Buffer): Generator<Pair> {
  if (!isUtf8(bytes)) throw invalidLine(bytes);
  const lines = bytes
    .toString("utf8")
    .replace(/^\ufeff/, "")
    .split(/\r?\n/);
  for (const line of lines) {
    const entry = line.trimStart();
    if (entry === "" || entry.startsWith("#")) continue;
    const equals = entry.indexOf("=");
    const key = equals < 0 ? entry : entry.slice(0, equals);
    if (key !== "") yield [key, Buffer.from(equals < 0 ? "" : entry.slice(equals + 1))];
  }
}

function invalidLine(bytes: Buffer): KustomizeError {
  const lines = bytes.toString("latin1").split(/\r?\n/);
  const line = lines.map((each) => Buffer.from(each, "latin1")).find((each) => !isUtf8(each));
  const shown = line ?? bytes;
  return new KustomizeError(
    `line [${[...shown].join(" ")}] has invalid utf8 bytes : ${shown.toString("utf8")}`,
  );
}
