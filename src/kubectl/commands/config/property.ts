/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/config/{set,unset,navigation_step_parser}.go. */

import { randomInt, systemRandom } from "#/std/base/random.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { Base64Error, canonicalBase64 } from "#/std/go/go-base64.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "../../base/errors.ts";
import { command } from "../../command/command.ts";
import { KubeconfigAccess } from "./kubeconfig-access.ts";
import { entryTypes, type SectionName } from "./typed-kubeconfig.ts";
import { unexpectedArgs } from "./unexpected-args.ts";

const bytesFields = ["certificate-authority-data", "client-certificate-data", "client-key-data"];
const booleanFields = ["insecure-skip-tls-verify", "disable-compression"];

/** The path of a property: an entry's field, or a whole entry. */
interface Place {
  readonly section: SectionName;
  /** "" for all entries. */
  readonly name: string;
  /** The rest of the path; empty for the entry itself. */
  readonly field: readonly string[];
}

/** Parses `clusters.NAME.FIELD`; names may have dots, and end where a known field begins. */
function placeOf(property: string): Place {
  const [section = "", ...rest] = property.split(".");
  if (!Object.hasOwn(entryTypes, section)) {
    throw new CommandError(`unable to parse ${property} after [] at api.Config`);
  }
  const fields: readonly string[] = entryTypes[section as SectionName].fields;
  const at = rest.findIndex((part, index) => index > 0 && fields.includes(part));
  const end = at < 0 ? rest.length : at;
  return {
    section: section as SectionName,
    name: rest.slice(0, end).join("."),
    field: rest.slice(end),
  };
}

async function change(property: string, value: unknown, access: KubeconfigAccess): Promise<void> {
  if (property === "current-context") return await access.setCurrent(String(value ?? ""));
  const { section, name, field } = placeOf(property);
  if (name === "" || field.length === 0) {
    if (value !== undefined) throw cannotSet(access.names(section));
    return await removeAll(section, name, access);
  }
  const old = access.find(section, name) as Record<string, object> | undefined;
  if (!old && value === undefined) throw noSuchKey(name);
  const { field: inside } = entryTypes[section];
  const inner = structuredClone(old?.[inside] ?? {}) as Record<string, unknown>;
  setField(inner, field, value);
  await access.put(section, { name, [inside]: inner } as never);
}

async function removeAll(
  section: SectionName,
  name: string,
  access: KubeconfigAccess,
): Promise<void> {
  const names = access.names(section);
  const removed = name === "" ? names : names.filter((each) => each === name);
  for (const each of removed) await access.remove(section, each);
}

const noSuchKey = (name: string): CommandError =>
  new CommandError(`current map key \`${name}\` is invalid`);

const cannotSet = (names: readonly string[]): CommandError =>
  new CommandError(
    `can't set a map to a value: map[${names.map((name) => `${name}:${address()}`).join(" ")}]`,
  );

/** Go prints the address of an entry in memory, which has no meaning. */
const address = (): string =>
  `0xc000${randomInt(systemRandom, 2 ** 24)
    .toString(16)
    .padStart(6, "0")}`;

function setField(
  target: Record<string, unknown>,
  [first = "", ...rest]: readonly string[],
  value: unknown,
): void {
  if (rest.length > 0) {
    const next = (target[first] ?? {}) as Record<string, unknown>;
    target[first] = next;
    setField(next, rest, value);
  } else if (value === undefined) delete target[first];
  else target[first] = value;
}

const setFlags = {
  "set-raw-bytes": {
    type: "bool",
    help: "Take the value of a field that holds bytes as it is, without decoding it as base64",
  },
} satisfies FlagSet;

/** `kubectl config set`. */
export const setProperty = command({
  usage: "set PROPERTY_NAME PROPERTY_VALUE",
  flags: setFlags,
  async run({ flags, args }, context) {
    const [property = "", text = ""] = args;
    if (args.length !== 2) throw await unexpectedArgs(args, context);
    if (text === "") throw new CommandError("you cannot use set to unset a property");
    if (property === "") throw new CommandError("you must specify a property");
    const field = property.slice(property.lastIndexOf(".") + 1);
    const access = await KubeconfigAccess.open(context);
    await change(property, propertyValue(field, text, flags["set-raw-bytes"]), access);
    context.out.write(`Property ${goQuote(property)} set.\n`);
  },
});

function propertyValue(field: string, text: string, isRaw: boolean): unknown {
  if (booleanFields.includes(field)) {
    if (text === "true" || text === "false") return text === "true";
    throw new CommandError(`strconv.ParseBool: parsing ${goQuote(text)}: invalid syntax`);
  }
  if (!bytesFields.includes(field)) return text;
  if (isRaw) return Buffer.from(text).toString("base64");
  try {
    return canonicalBase64(text);
  } catch (error) {
    if (!(error instanceof Base64Error)) throw error;
    throw new CommandError(`error decoding input value: ${error.message}`, { cause: error });
  }
}

/** `kubectl config unset`. */
export const unsetProperty = command({
  usage: "unset PROPERTY_NAME",
  flags: {},
  async run({ args }, context) {
    const [property = ""] = args;
    if (args.length !== 1) throw await unexpectedArgs(args, context);
    if (property === "") throw new CommandError("you must specify a property");
    await change(property, undefined, await KubeconfigAccess.open(context));
    context.out.write(`Property ${goQuote(property)} unset.\n`);
  },
});
