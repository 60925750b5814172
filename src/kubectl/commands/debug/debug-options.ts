/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/debug/debug.go (AddFlags, Complete, Validate). */
import { readFileSync } from "node:fs";
import type { Container } from "#/api/core/v1.ts";
import { DecodeError } from "#/machinery/codec/shape/decode-error.ts";
import { readYaml } from "#/machinery/codec/yaml/yaml-reader.ts";
import { asDoubles } from "#/machinery/patch/values/as-doubles.ts";
import { goJsonType } from "#/machinery/patch/values/go-value.ts";
import { isJsonObject } from "#/machinery/patch/values/json-value.ts";
import { openFailure } from "#/std/files/file-errors.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "../../base/errors.ts";
import { isImageName } from "../../base/image-name.ts";
import type { Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { filenameFlags } from "../../command/shared-flags.ts";
import type { DebugOptions } from "./debug-pods.ts";
import { profileOf } from "./profiles.ts";

/** The flags of `kubectl debug`. */
export const debugFlags = {
  filename: filenameFlags.filename,
  "arguments-only": {
    type: "bool",
    help:
      "Take the words after -- for arguments of the image's program (Args), instead of a " +
      "command",
  },
  attach: {
    type: "bool",
    help:
      'Wait until the container runs, then attach to it as "kubectl attach" does. Default ' +
      "false, or true with -i/--stdin",
  },
  container: { type: "string", shorthand: "c", help: "Name of the debugging container" },
  "copy-to": { type: "string", help: "Start a copy of the Pod, with this name" },
  replace: { type: "bool", help: "With --copy-to: delete the original Pod" },
  env: {
    type: "stringToString",
    help: "Environment variable of the container, as KEY=VALUE. May be repeated",
  },
  image: { type: "string", help: "Image of the debugging container" },
  "keep-labels": { type: "bool", help: "With --copy-to: keep the labels of the Pod" },
  "keep-annotations": { type: "bool", help: "With --copy-to: keep the annotations of the Pod" },
  "keep-liveness": { type: "bool", help: "With --copy-to: keep the liveness probes of the Pod" },
  "keep-readiness": { type: "bool", help: "With --copy-to: keep the readiness probes of the Pod" },
  "keep-startup": { type: "bool", help: "With --copy-to: keep the startup probes of the Pod" },
  "keep-init-containers": {
    type: "bool",
    default: true,
    help: "With --copy-to: run the init containers of the Pod, too",
  },
  "set-image": {
    type: "stringToString",
    help:
      "With --copy-to: other images for containers, as name=image pairs, which work as in " +
      '"kubectl set image"',
  },
  "image-pull-policy": {
    type: "string",
    help: "Image pull policy of the container. If it is empty, the server applies a default",
  },
  stdin: {
    type: "bool",
    shorthand: "i",
    help: "Keep the standard input of the container open, even if nothing is attached",
  },
  quiet: { type: "bool", shorthand: "q", help: "Do not print messages about what happens" },
  "same-node": { type: "bool", help: "With --copy-to: run the copy on the same node" },
  "share-processes": {
    type: "bool",
    default: true,
    help: "With --copy-to: let the containers of the copy share a process namespace",
  },
  target: {
    type: "string",
    help: "Container of the Pod whose processes an ephemeral container can see",
  },
  tty: { type: "bool", shorthand: "t", help: "Allocate a terminal for the debugging container" },
  profile: {
    type: "string",
    default: "general",
    help:
      'Profile that sets what the container may do. One of "general", "baseline", ' +
      '"restricted", "netadmin" or "sysadmin"',
  },
  custom: {
    type: "string",
    help:
      "File with a part of a container specification, in JSON or YAML, that is applied over " +
      "the profile",
  },
} satisfies FlagSet;

export type DebugInvocation = Invocation<typeof debugFlags>;

/** The debugger's options from the flags; reads the file of --custom. */
export function readOptions(
  { flags, changed }: DebugInvocation,
  words: readonly string[],
  context: Context,
): DebugOptions {
  return {
    container: flags.container,
    image: flags.image,
    pullPolicy: flags["image-pull-policy"] as DebugOptions["pullPolicy"],
    env: Object.entries(flags.env).map(([name, value]) => ({ name, value })),
    words,
    argumentsOnly: flags["arguments-only"],
    stdin: flags.stdin,
    tty: flags.tty,
    target: flags.target,
    copyTo: flags["copy-to"],
    sameNode: flags["same-node"],
    shareProcesses: changed.has("share-processes") ? flags["share-processes"] : undefined,
    setImages: flags["set-image"],
    kept: {
      labels: flags["keep-labels"],
      annotations: flags["keep-annotations"],
      liveness: flags["keep-liveness"],
      readiness: flags["keep-readiness"],
      startup: flags["keep-startup"],
      initContainers: flags["keep-init-containers"],
    },
    profile: profileOf(flags.profile),
    custom: flags.custom === "" ? undefined : readCustom(flags.custom, context),
    say: (text) => void (flags.quiet || context.out.write(text)),
  };
}

function readCustom(path: string, context: Context): Partial<Container> {
  const refuse = (reason: string, cause?: unknown): CommandError =>
    new CommandError(`${path} does not contain a valid container spec: ${reason}`, { cause });
  let text: Buffer;
  try {
    text = readFileSync(context.path(path));
  } catch (error) {
    throw new CommandError(
      `must pass a container spec json file for custom profile: ${openFailure(path, error)}`,
      { cause: error },
    );
  }
  try {
    const value = asDoubles(readYaml(text).value ?? {});
    if (isJsonObject(value)) return value as Partial<Container>;
    throw refuse(
      `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goJsonType(value)} into Go value of type v1.Container`,
    );
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw refuse(`error converting YAML to JSON: ${error.message}`, error);
  }
}

interface Checked {
  readonly flags: DebugInvocation["flags"];
  readonly changed: ReadonlySet<string>;
  readonly names: readonly string[];
  readonly words: readonly string[];
  readonly custom: Partial<Container> | undefined;
}

/** Throws the first error of a command line, and prints warnings. */
export function validate(checked: Checked, context: Context): void {
  const { flags, custom } = checked;
  const before = [...containerRules(checked), ...valueRules(checked)];
  throwFirst(before);
  if (flags.target !== "" && !flags.quiet) {
    context.out.write(
      `Targeting container ${goQuote(flags.target)}. If you don't see processes from this container it may be because the container runtime doesn't support this feature.\n`,
    );
  }
  throwFirst([
    [flags.tty && !flags.stdin, "-i/--stdin is required for containers with -t/--tty=true"],
    [
      custom !== undefined && changesFixed(custom),
      "name, command, image, lifecycle and volume devices are not modifiable via custom profile",
    ],
  ]);
  if (flags.profile === "legacy") {
    context.err.write(
      '--profile=legacy is deprecated and planned to be removed in v1.39. It is recommended to specify other profile, for example "--profile=general".\n',
    );
  }
}

type Rule = readonly [isBroken: boolean, message: string];

function throwFirst(rules: readonly Rule[]): void {
  const broken = rules.find(([isBroken]) => isBroken);
  if (broken) throw new CommandError(broken[1]);
}

function containerRules({ flags, changed, words }: Checked): Rule[] {
  const { attach, image, container, "set-image": images } = flags;
  const setsImages = Object.keys(images).length > 0;
  const attaching: Rule = [
    attach && changed.has("attach") && image === "" && container === "",
    "you must specify --container or create a new container using --image in order to attach.",
  ];
  if (flags["copy-to"] !== "") {
    return [
      attaching,
      [
        image === "" && !setsImages && words.length === 0,
        "you must specify --image, --set-image or command arguments.",
      ],
      [
        words.length > 0 && container === "" && image === "",
        "you must specify an existing container or a new image when specifying args.",
      ],
    ];
  }
  return [
    attaching,
    [flags.replace, "--replace may only be used with --copy-to."],
    [flags["same-node"], "--same-node may only be used with --copy-to."],
    [setsImages, "--set-image may only be used with --copy-to."],
    [image === "", "you must specify --image when not using --copy-to."],
  ];
}

const pullPolicies = ["", "Always", "IfNotPresent", "Never"];

function valueRules({ flags, names }: Checked): Rule[] {
  const { image, "image-pull-policy": policy, "set-image": images } = flags;
  return [
    [
      image !== "" && !isImageName(image),
      `invalid image name ${goQuote(image)}: invalid reference format`,
    ],
    [names.length === 0 && flags.filename.length === 0, "NAME or filename is required for debug"],
    [!pullPolicies.includes(policy), `invalid image pull policy: ${policy}`],
    ...Object.entries(images).map(
      ([name, value]): Rule => [
        !isImageName(value),
        `invalid image name ${goQuote(value)} for container ${goQuote(name)}: invalid reference format`,
      ],
    ),
    [
      flags.target !== "" && flags["copy-to"] !== "",
      "--target is incompatible with --copy-to. Use --share-processes instead.",
    ],
  ];
}

function changesFixed({ name, command, image, lifecycle, volumeDevices }: Partial<Container>) {
  const hasLists = (command?.length ?? 0) > 0 || (volumeDevices?.length ?? 0) > 0;
  return Boolean(name) || Boolean(image) || lifecycle !== undefined || hasLists;
}
