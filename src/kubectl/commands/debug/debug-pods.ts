/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/debug/debug.go (generate…). */
import type { Container, EnvVar, EphemeralContainer, Pod, PullPolicy } from "#/api/core/v1.ts";
import { randomSuffix } from "#/machinery/meta/generate-name.ts";
import { applyStrategicMergePatch } from "#/machinery/patch/strategic-merge-patch.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { CommandError } from "../../base/errors.ts";
import type { Kept, Profile } from "./profiles.ts";

/** The debugger's options of the command line. */
export interface DebugOptions {
  /** "" for a generated name. */
  readonly container: string;
  readonly image: string;
  readonly pullPolicy: PullPolicy | "";
  readonly env: readonly EnvVar[];
  /** The command to run. */
  readonly words: readonly string[];
  /** True if the words are arguments of the image's own program. */
  readonly argumentsOnly: boolean;
  readonly stdin: boolean;
  readonly tty: boolean;
  /** The container whose processes are visible; "" for none. */
  readonly target: string;
  readonly copyTo: string;
  readonly sameNode: boolean;
  /** Undefined to keep the Pod's value. */
  readonly shareProcesses: boolean | undefined;
  /** Images by container; `*` is the image of all others. */
  readonly setImages: Readonly<Record<string, string>>;
  readonly kept: Kept;
  readonly profile: Profile;
  /** Partial container that is merged over the profile. */
  readonly custom: Partial<Container> | undefined;
  /** Prints a message for the user. */
  readonly say: (text: string) => void;
}

/** The resulting Pod, and the name of its debugging container; "" if there is none. */
export interface DebugPod {
  readonly pod: Pod;
  readonly container: string;
}

/** A Pod with an added ephemeral container. */
export function withEphemeralContainer(original: Pod, options: DebugOptions): DebugPod {
  const name = containerName(original, options);
  const pod = structuredClone(original);
  const { spec = { containers: [] } } = pod;
  const added: EphemeralContainer = {
    ...newContainer(name, options),
    ...(options.target === "" ? {} : { targetContainerName: options.target }),
  };
  spec.ephemeralContainers = [...(spec.ephemeralContainers ?? []), added];
  options.profile({ pod, container: name, style: "ephemeral", kept: options.kept });
  return { pod: customized(pod, name, "ephemeralContainers", options), container: name };
}

/** A Pod that runs on a node, with the node's file system and namespaces if the profile has them. */
export function nodeDebugPod(nodeName: string, options: DebugOptions): DebugPod {
  const container = options.container || "debugger";
  const name = `node-debugger-${nodeName}-${randomSuffix(5)}`;
  options.say(`Creating debugging pod ${name} with container ${container} on node ${nodeName}.\n`);
  const pod: Pod = {
    metadata: { name, labels: { "app.kubernetes.io/managed-by": "kubectl-debug" } },
    spec: {
      containers: [newContainer(container, options)],
      nodeName,
      restartPolicy: "Never",
      tolerations: [{ operator: "Exists" }],
    },
  };
  options.profile({ pod, container, style: "node", kept: options.kept });
  return { pod: customized(pod, container, "containers", options), container };
}

function newContainer(name: string, options: DebugOptions): Container {
  const { image, pullPolicy, env, words, stdin, tty } = options;
  return {
    name,
    image,
    ...(env.length > 0 ? { env: [...env] } : {}),
    ...(pullPolicy === "" ? {} : { imagePullPolicy: pullPolicy }),
    ...(stdin ? { stdin } : {}),
    ...(tty ? { tty } : {}),
    terminationMessagePolicy: "File",
    ...(words.length === 0
      ? {}
      : options.argumentsOnly
        ? { args: [...words] }
        : { command: [...words] }),
  };
}

/** A copy of a Pod, with a debugging container or with one of its own changed. */
export function copyWithDebugger(original: Pod, options: DebugOptions): DebugPod {
  const pod = copyOf(original, options);
  const spec = pod.spec ?? { containers: [] };
  for (const container of spec.containers) {
    const image = options.setImages[container.name] ?? options.setImages["*"] ?? "";
    if (image !== "") container.image = image;
  }
  const own = [...spec.containers, ...(spec.initContainers ?? [])];
  const found = own.findLast(({ name }) => name === options.container);
  if (!found && options.image === "") {
    if (Object.keys(options.setImages).length > 0) return { pod, container: "" };
    throw new CommandError("you must specify image when creating new container");
  }
  const debugging = found ?? addedTo(pod, options);
  change(debugging, options);
  const container = debugging.name;
  options.profile({ pod, container, style: "copy", kept: options.kept });
  return { pod: customized(pod, container, "containers", options), container };
}

function copyOf({ metadata, spec }: Pod, options: DebugOptions): Pod {
  const { ephemeralContainers: _, nodeName, ...rest } = structuredClone(spec ?? { containers: [] });
  const { namespace, annotations, labels } = structuredClone(metadata ?? {});
  return {
    metadata: {
      name: options.copyTo,
      ...(namespace === undefined ? {} : { namespace }),
      ...(annotations ? { annotations } : {}),
      ...(labels ? { labels } : {}),
    },
    spec: {
      ...rest,
      ...(options.sameNode && nodeName !== undefined ? { nodeName } : {}),
      ...(options.shareProcesses === undefined
        ? {}
        : { shareProcessNamespace: options.shareProcesses }),
    },
  };
}

function addedTo(pod: Pod, options: DebugOptions): Container {
  const name = options.container || containerName(pod, options);
  const added: Container = { name, terminationMessagePolicy: "File" };
  pod.spec?.containers.push(added);
  return added;
}

function change(container: Container, options: DebugOptions): void {
  const { words, env, image, pullPolicy, stdin, tty } = options;
  if (words.length > 0 && options.argumentsOnly) container.args = [...words];
  else if (words.length > 0) {
    container.command = [...words];
    delete container.args;
  }
  if (env.length > 0) container.env = [...env];
  if (image !== "") container.image = image;
  if (pullPolicy !== "") container.imagePullPolicy = pullPolicy;
  container.stdin = stdin;
  container.tty = tty;
}

/** The given name, or one that no container has. */
function containerName({ spec }: Pod, { container, say }: DebugOptions): string {
  if (container !== "") return container;
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec ?? {};
  const taken = new Set(
    [...containers, ...initContainers, ...ephemeralContainers].map(({ name }) => name),
  );
  let name = "";
  while (name === "" || taken.has(name)) name = `debugger-${randomSuffix(5)}`;
  say(`Defaulting debug container name to ${name}.\n`);
  return name;
}

function customized(
  pod: Pod,
  name: string,
  list: "containers" | "ephemeralContainers",
  { custom }: DebugOptions,
): Pod {
  if (!custom) return pod;
  if (!pod.spec?.[list]?.some((container) => container.name === name)) {
    const what = list === "containers" ? "container" : "ephemeral container";
    throw new CommandError(
      `unable to find the ${name} ${what} in the pod ${pod.metadata?.name ?? ""}`,
    );
  }
  const schema = findSchema("", "v1", "Pod");
  const patch = { spec: { [list]: [{ ...custom, name }] } };
  // Pod is a built-in kind, so its schema is known.
  return schema ? (applyStrategicMergePatch(schema, pod as never, patch) as unknown as Pod) : pod;
}
