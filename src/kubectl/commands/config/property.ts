/** Upstream: k8s.io/kubectl/pkg/cmd/config/{set,unset,navigation_step_parser}.go. */

import type { FlagSet } from "#/std/flags.ts";
import { goQuote } from "#/std/go-quote.ts";
import { command } from "../../command.ts";
import { CommandError } from "../../errors.ts";
import { KubeconfigAccess, type SectionName } from "./kubeconfig-access.ts";
import { unexpectedArgs } from "./unexpected-args.ts";

const sections: Readonly<Record<SectionName, string>> = {
  clusters: "cluster",
  users: "user",
  contexts: "context",
};
const bytesFields = ["certificate-authority-data", "client-certificate-data", "client-key-data"];
const booleanFields = ["insecure-skip-tls-verify", "disable-compression"];

/** Where a property is: an entry's field, a whole entry, or the current context. */
interface Place {
  readonly section: SectionName;
  readonly name: string;
  /** The rest of the path; empty for the entry itself. */
  readonly field: string;
}

/** Reads `clusters.NAME.FIELD`; names may have dots, so an entry that is there is looked for first. */
function placeOf(property: string, access: KubeconfigAccess): Place | undefined {
  const dot = property.indexOf(".");
  const section = property.slice(0, dot) as SectionName;
  if (dot < 0 || !Object.hasOwn(sections, section)) return undefined;
  const rest = property.slice(dot + 1);
  const known = access
    .names(section)
    .filter((name) => rest === name || rest.startsWith(`${name}.`));
  const name = known.sort((a, b) => b.length - a.length)[0] ?? rest.split(".")[0] ?? "";
  return { section, name, field: rest.slice(name.length + 1) };
}

async function change(property: string, value: unknown, access: KubeconfigAccess): Promise<void> {
  if (property === "current-context") return await access.setCurrent(String(value ?? ""));
  const place = placeOf(property, access);
  if (!place) throw new CommandError(`unable to locate path ${goQuote(property)}`);
  const { section, name, field } = place;
  if (field === "") {
    if (value !== undefined) throw new CommandError("can't set a map to a value: ");
    if (!access.find(section, name)) {
      throw new CommandError(`current map key \`${name}\` is invalid`);
    }
    return await access.remove(section, name);
  }
  const old = access.find(section, name) as Record<string, object> | undefined;
  const inner = structuredClone(old?.[sections[section]] ?? {}) as Record<string, unknown>;
  setField(inner, field.split("."), value);
  await access.put(section, { name, [sections[section]]: inner } as never);
}

function setField(
  target: Record<string, unknown>,
  [first = "", ...rest]: string[],
  value: unknown,
) {
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
    help: "When writing bytes, take the value as it is, without base64 decoding.",
  },
} satisfies FlagSet;

/** `kubectl config set`. */
export const setProperty = command({
  usage: "set PROPERTY_NAME PROPERTY_VALUE",
  description: "Sets a single value in a kubeconfig file.",
  examples: [["A server", "kubectl config set clusters.my-cluster.server https://1.2.3.4"]],
  flags: setFlags,
  async run({ flags, args }, context) {
    const [property = "", text = ""] = args;
    if (args.length !== 2) throw unexpectedArgs(args, context);
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
  return bytesFields.includes(field) && isRaw ? Buffer.from(text).toString("base64") : text;
}

/** `kubectl config unset`. */
export const unsetProperty = command({
  usage: "unset PROPERTY_NAME",
  description: "Removes a single value from a kubeconfig file.",
  examples: [["The current context", "kubectl config unset current-context"]],
  flags: {},
  async run({ args }, context) {
    const [property = ""] = args;
    if (args.length !== 1) throw unexpectedArgs(args, context);
    if (property === "") throw new CommandError("you must specify a property");
    await change(property, undefined, await KubeconfigAccess.open(context));
    context.out.write(`Property ${goQuote(property)} unset.\n`);
  },
});
