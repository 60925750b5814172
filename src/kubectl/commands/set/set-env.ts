/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/set/set_env.go. */
import type { EnvVar } from "#/api/core/v1.ts";
import { isEnvVarName } from "#/machinery/meta/text-rules.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "../../base/errors.ts";
import { readAll } from "../../base/host.ts";
import { kindOf, type Unstructured } from "../../base/unstructured.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { dryRunOf, selectorFlag } from "../../command/shared-flags.ts";
import type { DryRun } from "../../printers/print-flags.ts";
import { toPrinter } from "../../printers/to-printer.ts";
import { type BuilderOptions, ResourceBuilder } from "../../resource/builder.ts";
import { EnvValues, referenceText } from "./env-values.ts";
import {
  type ContainerLike,
  localOnServer,
  podSpecOf,
  selectContainers,
  setFlags,
  setOnAll,
  targetOptions,
} from "./set-objects.ts";

const { record, ...sharedFlags } = setFlags;

const flags = {
  ...sharedFlags,
  ...selectorFlag,
  containers: {
    type: "string",
    shorthand: "c",
    default: "*",
    help: "Names of the containers to change; may contain wildcards",
  },
  from: { type: "string", help: "ConfigMap or Secret to take variables from, as TYPE/NAME" },
  prefix: {
    type: "string",
    help: "Text to put before the names of variables that are taken with --from",
  },
  env: {
    type: "stringArray",
    shorthand: "e",
    help:
      "Variable to set in each container, as KEY=VALUE; - reads them from the standard " + "input",
  },
  keys: {
    type: "stringSlice",
    help: "Keys to take from the object of --from, separated by commas; default all",
  },
  list: { type: "bool", help: "Print the variables, with the changes of this command line" },
  resolve: {
    type: "bool",
    help: "With --list: print the values that references to Secrets and ConfigMaps stand for",
  },
  overwrite: {
    type: "bool",
    default: true,
    help: "Replace the values of variables that exist; without it, such a change is rejected",
  },
} satisfies FlagSet;

type EnvInvocation = Invocation<typeof flags>;

/** `kubectl set env`. */
export const setEnv = command({
  usage: "env RESOURCE/NAME KEY_1=VAL_1 ... KEY_N=VAL_N",
  flags,
  run,
});

async function run({ flags, args }: EnvInvocation, context: Context): Promise<void> {
  if (flags.all && flags.selector !== "") {
    throw new CommandError("cannot set --all and --selector at the same time");
  }
  const { resources, changes } = splitArguments(args);
  const dryRun = dryRunOf(flags["dry-run"], context);
  const printer = toPrinter(flags, context, { operation: "env updated", dryRun, keepsOrder: true });
  const place = await context.cluster.namespace();
  validate(flags, { resources, changes }, dryRun);
  const { set, remove } = await parseEnv([...flags.env, ...changes], context);
  const options = targetOptions(flags, place);
  const imported = flags.from === "" ? [] : await importedFrom(flags, options, context);
  const env = [...set, ...imported].map((variable) => ({
    ...variable,
    name: `${flags.prefix}${variable.name}`,
  }));
  const given = flags.local ? {} : { args: resources };
  const infos = await new ResourceBuilder(context, { ...options, ...given }).infos();
  const setting = {
    context,
    printer: flags.list ? { print: () => undefined } : printer,
    dryRun: flags.list ? ("client" as const) : dryRun,
    local: flags.local,
    fieldManager: flags["field-manager"],
    record: false,
    failure: "failed to patch env update to pod template:",
    beforePrint: () => {
      if (env.length > 0 || changes.length > 0) return;
      throw new CommandError("at least one environment variable must be provided");
    },
  };
  const values = new EnvValues(context, place.namespace);
  try {
    await setOnAll(setting, infos, (object) =>
      changeEnv({ flags, env, remove, values }, object, context),
    );
  } catch (error) {
    if (!flags.list) throw error;
  }
}

function splitArguments(args: readonly string[]): { resources: string[]; changes: string[] } {
  const isChange = (arg: string): boolean => /^.+=/s.test(arg) || arg.endsWith("-");
  const first = args.findIndex(isChange);
  const changes = first < 0 ? [] : args.slice(first);
  if (!changes.every(isChange)) {
    throw new CommandError(
      `all resources must be specified before environment changes: ${args.join(" ")}`,
    );
  }
  return { resources: args.slice(0, first < 0 ? undefined : first), changes };
}

function validate(
  flags: EnvInvocation["flags"],
  { resources, changes }: Readonly<Record<"resources" | "changes", readonly string[]>>,
  dryRun: DryRun,
): void {
  const rules: (readonly [boolean, string])[] = [
    [flags.local && dryRun === "server", localOnServer],
    [
      flags.filename.length === 0 && resources.length === 0,
      "one or more resources must be specified as <resource> <name> or <resource>/<name>",
    ],
    [
      flags.filename.includes("-") && changes.includes("-"),
      "standard input cannot be used for multiple arguments",
    ],
    [flags.list && flags.output !== "", "--list and --output may not be specified together"],
    [
      flags.keys.length > 0 && flags.from === "",
      "when specifying --keys, a configmap or secret must be provided with --from",
    ],
  ];
  const broken = rules.find(([isBroken]) => isBroken);
  if (broken) throw new CommandError(broken[1]);
}

interface EnvChanges {
  readonly set: EnvVar[];
  readonly remove: string[];
}

async function parseEnv(specs: readonly string[], context: Context): Promise<EnvChanges> {
  const set: EnvVar[] = [];
  const remove: string[] = [];
  for (const spec of specs) {
    const equals = spec.indexOf("=");
    if (spec === "-") {
      context.cluster.takeStdin();
      set.push(...fromLines((await readAll(context.stdin)).toString()));
    } else if (equals >= 0) {
      const name = spec.slice(0, equals);
      const problems = isEnvVarName(name);
      if (problems.length > 0) {
        throw new CommandError(`${goQuote(name)} is not a valid key name: ${problems.join(";")}`);
      }
      set.push(variable(name, spec.slice(equals + 1)));
    } else if (spec.endsWith("-")) remove.push(spec.slice(0, -1));
    else throw new CommandError(`unknown environment variable: ${spec}`);
  }
  if (remove.some((name) => set.some((each) => each.name === name))) {
    throw new CommandError(
      "can not both modify and remove the same environment variable in the same command",
    );
  }
  return { set, remove };
}

const variable = (name: string, value: string): EnvVar => ({
  name,
  ...(value === "" ? {} : { value }),
});

function fromLines(text: string): EnvVar[] {
  return text
    .split("\n")
    .map((line) => line.split("#", 1)[0] ?? "")
    .filter((line) => line.includes("="))
    .map((line) => variable(line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)));
}

/** References to the keys of a config map or secret. */
async function importedFrom(
  flags: EnvInvocation["flags"],
  options: BuilderOptions,
  context: Context,
): Promise<EnvVar[]> {
  const given = flags.local ? {} : { args: [flags.from] };
  const infos = await new ResourceBuilder(context, { ...options, ...given }).infos();
  return infos.flatMap(({ object = {} }) => {
    const { kind } = kindOf(object);
    const field =
      kind === "Secret" ? "secretKeyRef" : kind === "ConfigMap" ? "configMapKeyRef" : undefined;
    if (field === undefined) throw new CommandError("unsupported resource specified in --from");
    return Object.keys((object["data"] ?? {}) as object)
      .filter((key) => flags.keys.length === 0 || flags.keys.includes(key))
      .map((key) => ({
        name: variableName(key, context),
        valueFrom: { [field]: { name: object.metadata?.name ?? "", key } },
      }));
  });
}

function variableName(key: string, context: Context): string {
  const name = key.replaceAll(/[^a-zA-Z0-9_]/g, "_").toUpperCase();
  if (name !== key) context.err.write(`Warning: key ${key} transferred to ${name}\n`);
  return name;
}

interface EnvUpdate {
  readonly flags: EnvInvocation["flags"];
  readonly env: readonly EnvVar[];
  readonly remove: readonly string[];
  readonly values: EnvValues;
}

async function changeEnv(update: EnvUpdate, object: Unstructured, context: Context): Promise<void> {
  const { flags, env, remove, values } = update;
  const containers = selectContainers(podSpecOf(object), flags.containers);
  const { kind } = kindOf(object);
  const name = object.metadata?.name ?? "";
  if (containers.length === 0) {
    context.err.write(
      `Warning: ${kind}/${name} does not have any containers matching ${goQuote(flags.containers)}\n`,
    );
    return;
  }
  let isResolved = true;
  for (const container of containers) {
    if (!flags.overwrite) checkOverwrites(container.env ?? [], env);
    container.env = updated(container.env ?? [], env, remove);
    if (!flags.list) continue;
    context.out.write(`# ${kind} ${name}, container ${container.name}\n`);
    if (!(await listEnv({ values, resolves: flags.resolve }, object, container, context)))
      isResolved = false;
  }
  if (!isResolved) throw new CommandError("failed to retrieve valueFrom references");
}

function checkOverwrites(existing: readonly EnvVar[], env: readonly EnvVar[]): void {
  for (const { name, value = "" } of env) {
    const current = existing.find((each) => each.name === name);
    if (current && (current.value ?? "") !== value) {
      throw new CommandError(
        `'${name}' already has a value (${current.value ?? ""}), and --overwrite is false`,
      );
    }
  }
}

function updated(
  existing: readonly EnvVar[],
  env: readonly EnvVar[],
  remove: readonly string[],
): EnvVar[] {
  const covered = new Set(remove);
  const kept = existing.flatMap((each) => {
    if (covered.has(each.name)) return [];
    const newer = env.find(({ name }) => name === each.name);
    if (newer) covered.add(each.name);
    return [newer ?? each];
  });
  const added = env.filter(({ name }) => {
    if (covered.has(name)) return false;
    covered.add(name);
    return true;
  });
  return [...kept, ...added];
}

/** Prints variables; returns true if all references were resolved. */
async function listEnv(
  { values, resolves }: { readonly values: EnvValues; readonly resolves: boolean },
  object: Unstructured,
  container: ContainerLike,
  context: Context,
): Promise<boolean> {
  const failures = new Map<string, string[]>();
  for (const { name, value = "", valueFrom } of container.env ?? []) {
    if (!valueFrom) {
      context.out.write(`${name}=${value}\n`);
      continue;
    }
    const found = resolves ? await values.find(valueFrom, object, container) : undefined;
    if (found?.value !== undefined) {
      context.out.write(`${name}=${found.value}\n`);
      continue;
    }
    context.out.write(`# ${name} from ${referenceText(valueFrom)}\n`);
    if (found?.error !== undefined)
      failures.set(found.error, [...(failures.get(found.error) ?? []), name]);
  }
  const lines = [...failures].map(
    ([error, names]) => `error retrieving reference for ${names.sort().join(", ")}: ${error}\n`,
  );
  for (const line of lines.sort()) context.err.write(line);
  return failures.size === 0;
}
