/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/run/run.go. */

import { isEnvVarName } from "#/machinery/meta/text-rules.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { deletionFlags, propagationOf } from "../actions/delete-objects.ts";
import { CommandError, throwAll } from "../base/errors.ts";
import { isImageName } from "../base/image-name.ts";
import { parsePairs } from "../base/pairs.ts";
import { parseLabelList } from "../base/parse-label-list.ts";
import { typedForm } from "../base/typed-form.ts";
import type { Unstructured } from "../base/unstructured.ts";
import { applyOverrides } from "../command/apply-overrides.ts";
import { command, type Invocation } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { updateLastApplied } from "../command/last-applied.ts";
import { recordChange } from "../command/record-change.ts";
import {
  dryRunFlag,
  dryRunOf,
  fieldManagerFlag,
  filenameFlags,
  overrideFlags,
  podTimeoutFlag,
  recordFlag,
  saveConfigFlag,
} from "../command/shared-flags.ts";
import { type DryRun, printFlags } from "../printers/print-flags.ts";
import { toPrinter } from "../printers/to-printer.ts";
import { createObject } from "./create/generator.ts";
import { attachToRun } from "./run-attach.ts";

const flags = {
  ...printFlags,
  ...filenameFlags,
  filename: {
    ...filenameFlags.filename,
    deprecated: "it is ignored by kubectl run and will be removed in a future release",
  },
  ...deletionFlags,
  ...dryRunFlag,
  ...saveConfigFlag,
  ...overrideFlags,
  ...fieldManagerFlag("kubectl-run"),
  ...recordFlag,
  annotations: {
    type: "stringArray",
    help: "Annotation of the Pod, as KEY=VALUE. May be repeated",
  },
  image: { type: "string", help: "Image that the container runs" },
  "image-pull-policy": {
    type: "string",
    help: "Image pull policy of the container. If it is empty, the server applies a default",
  },
  rm: {
    type: "bool",
    help:
      "Delete the Pod after it has ended. Allowed only when attached, as with --attach or " +
      "-i/--stdin",
  },
  env: {
    type: "stringArray",
    help: "Environment variable of the container, as KEY=VALUE. May be repeated",
  },
  port: { type: "string", help: "Port that the container listens on" },
  labels: {
    type: "string",
    shorthand: "l",
    help:
      "Labels of the Pod, separated by commas. They replace the label that it gets by " + "default",
  },
  stdin: {
    type: "bool",
    shorthand: "i",
    help: "Keep the standard input of the container open, even if nothing is attached",
  },
  tty: { type: "bool", shorthand: "t", help: "Allocate a terminal for the container" },
  attach: {
    type: "bool",
    help:
      'Wait until the Pod runs, then attach to it as "kubectl attach" does. Default false, ' +
      "or true with -i/--stdin. With --restart=Never, the exit code is that of the " +
      "container's process",
  },
  "leave-stdin-open": {
    type: "bool",
    help:
      "Keep the standard input open after the first attach has ended; by default it is " +
      "closed then. For Pods with -i/--stdin",
  },
  restart: {
    type: "string",
    default: "Always",
    help: "Restart policy of the Pod. One of [Always, OnFailure, Never]",
  },
  command: {
    type: "bool",
    help:
      "Take the words after -- for the command of the container, instead of for arguments " +
      "of the image's program",
  },
  expose: { type: "bool", help: "Also create a ClusterIP Service for the Pod. Needs --port" },
  quiet: { type: "bool", shorthand: "q", help: "Do not print messages about what happens" },
  privileged: { type: "bool", help: "Run the container in privileged mode" },
  "detach-keys": {
    type: "string",
    default: "ctrl-p,ctrl-q",
    help:
      "Keys that end the connection and leave the container running: a letter, or ctrl- and " +
      "one of a-z, @, [, \\, ], ^ or _; several are separated by commas",
  },
  ...podTimeoutFlag(60_000),
} satisfies FlagSet;

export type RunFlags = Invocation<typeof flags>["flags"];

/** `kubectl run`. */
export const run = command({
  usage:
    'run NAME --image=image [--env="key=value"] [--port=port] [--dry-run=server|client] [--overrides=inline-json] [--command] -- [COMMAND] [args...]',
  flags,
  requiredFlags: ["image"],
  interruptedCode: 1,
  run: runPod,
});

type RunInvocation = Invocation<typeof flags>;

async function runPod(
  { flags, changed, args, argsBeforeDash }: RunInvocation,
  context: Context,
): Promise<void> {
  const pod = podOf(flags, args);
  const attaches = changed.has("attach") ? flags.attach : flags.stdin;
  if (flags["pod-running-timeout"] <= 0) {
    throw new CommandError("--pod-running-timeout must be higher than zero");
  }
  const dryRun = dryRunOf(flags["dry-run"], context);
  const { namespace, explicit } = await context.cluster.namespace();
  const printer = toPrinter(flags, context, { operation: "created", dryRun, keepsOrder: true });
  propagationOf(flags.cascade, context);
  validate(flags, { hasName: args.length > 0 && argsBeforeDash !== 0, attaches, dryRun });
  const creating = { flags, dryRun, namespace, explicit };
  const created = [await createRun(creating, applyOverrides(typedForm(pod), flags), context)];
  const errors: unknown[] = [];
  if (flags.expose) {
    try {
      created.push(await createRun(creating, serviceOf(flags, args[0] ?? ""), context));
    } catch (error) {
      errors.push(error);
    }
  }
  if (attaches) return attachToRun(context, flags, created);
  for (const object of created) printer.print(object, context.out);
  throwAll(errors);
}

interface Creating {
  readonly flags: RunFlags;
  readonly dryRun: DryRun;
  readonly namespace: string;
  readonly explicit: boolean;
}

async function createRun(
  { flags, dryRun, namespace, explicit }: Creating,
  made: Unstructured,
  context: Context,
): Promise<Unstructured> {
  const given = recordChange(made, flags, context);
  if (dryRun === "client") {
    const metadata = { ...given.metadata, ...(explicit ? { namespace } : {}) };
    return typedForm({ ...given, metadata });
  }
  const object = updateLastApplied(typedForm(given), { create: flags["save-config"], typed: true });
  const query = {
    dryRun: dryRun === "server" ? "All" : undefined,
    fieldManager: flags["field-manager"],
  };
  return createObject(context, object, namespace, query);
}

/** The Pod that the flags describe. */
function podOf(flags: RunFlags, args: readonly string[]): Unstructured {
  const [name = "", ...words] = args;
  const annotations = parsePairs(flags.annotations, "annotations", { removable: false }).set;
  const labels = flags.labels === "" ? { run: name } : parseLabelList(flags.labels);
  const env = flags.env.map(parseEnv);
  const restartPolicy = restartPolicyOf(flags);
  const pullPolicy = pullPolicyOf(flags["image-pull-policy"]);
  const container = {
    name,
    image: flags.image,
    ...(words.length > 0 ? { [flags.command ? "command" : "args"]: words } : {}),
    ...(flags.port === "" ? {} : { ports: [{ containerPort: Number(flags.port) || 0 }] }),
    ...(env.length > 0 ? { env } : {}),
    ...(pullPolicy === "" ? {} : { imagePullPolicy: pullPolicy }),
    ...(flags.privileged ? { securityContext: { privileged: true } } : {}),
    ...(flags.stdin ? { stdin: true } : {}),
    ...(flags.stdin && !flags["leave-stdin-open"] ? { stdinOnce: true } : {}),
    ...(flags.tty ? { tty: true } : {}),
  };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      labels,
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
    },
    spec: { containers: [container], restartPolicy, dnsPolicy: "ClusterFirst" },
  };
}

function serviceOf(flags: RunFlags, name: string): Unstructured {
  const port = Number(flags.port);
  const labels = flags.labels === "" ? undefined : parseLabelList(flags.labels);
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, ...(labels ? { labels } : {}) },
    spec: {
      ports: [{ protocol: "TCP", port, targetPort: port }],
      selector: labels ?? { run: name },
    },
  };
}

function parseEnv(text: string): { name: string; value?: string } {
  const equals = text.indexOf("=");
  const name = text.slice(0, Math.max(0, equals));
  if (equals <= 0 || isEnvVarName(name).length > 0) throw new CommandError(`invalid env: ${text}`);
  const value = text.slice(equals + 1);
  return { name, ...(value === "" ? {} : { value }) };
}

function restartPolicyOf({ restart, stdin }: RunFlags): string {
  if (restart === "") return stdin ? "OnFailure" : "Always";
  if (["Always", "OnFailure", "Never"].includes(restart)) return restart;
  throw new CommandError(
    `invalid restart policy: ${restart}, valid values are: Always, OnFailure, Never`,
  );
}

function pullPolicyOf(policy: string): string {
  if (["", "Always", "IfNotPresent", "Never"].includes(policy)) return policy;
  throw new CommandError(
    `invalid image pull policy: ${policy}, valid values are: Always, IfNotPresent, Never`,
  );
}

interface Checked {
  readonly hasName: boolean;
  readonly attaches: boolean;
  readonly dryRun: DryRun;
}

function validate(flags: RunFlags, { hasName, attaches, dryRun }: Checked): void {
  const rules: (readonly [boolean, string])[] = [
    [!hasName, "NAME is required for run"],
    [flags.image === "", "--image is required"],
    [
      !isImageName(flags.image),
      `invalid image name ${goQuote(flags.image)}: invalid reference format`,
    ],
    [flags.tty && !flags.stdin, "-i/--stdin is required for containers with -t/--tty=true"],
    [flags.expose && flags.port === "", "--port must be set when exposing a service"],
    [flags.port !== "" && !/^[-+]?\d+$/.test(flags.port), "--port must be a number"],
    [!attaches && flags.rm, "--rm should only be used for attached containers"],
    [
      attaches && dryRun !== "none",
      "--dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, or --tty)",
    ],
  ];
  const broken = rules.find(([isBroken]) => isBroken);
  if (broken) throw new CommandError(broken[1]);
}
