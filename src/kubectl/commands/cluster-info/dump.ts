/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/clusterinfo/clusterinfo_dump.go. */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { daemonSets, deployments, replicaSets } from "#/api/apps/v1.ts";
import type { Resource } from "#/api/base/resource.ts";
import {
  events,
  namespaces,
  nodes,
  type Pod,
  pods,
  replicationControllers,
  services,
} from "#/api/core/v1.ts";
import { responseError } from "#/client/transport/response-error.ts";
import { folderFailure, openFailure } from "#/std/files/file-errors.ts";
import { makeFolders } from "#/std/files/make-folders.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { CommandError, messageOf } from "../../base/errors.ts";
import { readAll } from "../../base/host.ts";
import type { Unstructured } from "../../base/unstructured.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { allNamespacesFlag, podTimeoutFlag } from "../../command/shared-flags.ts";
import { printFlags } from "../../printers/print-flags.ts";
import type { Printer, Sink } from "../../printers/printer.ts";
import { toPrinter } from "../../printers/to-printer.ts";

const flags = {
  ...printFlags,
  output: { ...printFlags.output, default: "json" },
  ...allNamespacesFlag("Dump all namespaces, whatever --namespaces says"),
  "output-directory": {
    type: "string",
    help: "Directory that gets a tree of files; empty or '-' for the standard output",
  },
  namespaces: { type: "stringSlice", help: "Namespaces to dump, separated by commas" },
  ...podTimeoutFlag(20_000),
} satisfies FlagSet;

type DumpInvocation = Invocation<typeof flags>;

const kinds: readonly (readonly [string, Resource])[] = [
  ["events", events],
  ["replication-controllers", replicationControllers],
  ["services", services],
  ["daemonsets", daemonSets],
  ["deployments", deployments],
  ["replicasets", replicaSets],
  ["pods", pods],
];

/** `kubectl cluster-info dump`. */
export const dump = command({
  usage: "dump",
  flags,
  showsFlagsInUsage: true,
  run,
});

async function run({ flags }: DumpInvocation, context: Context): Promise<void> {
  const printer = toPrinter(flags, context, { operation: "", keepsOrder: true });
  if (flags["pod-running-timeout"] <= 0) {
    throw new CommandError("--pod-running-timeout must be higher than zero");
  }
  const dumping = new Dumping(context, printer, flags);
  await dumping.list("nodes", nodes, "");
  for (const namespace of await chosenNamespaces(flags, context)) {
    let found: readonly Pod[] = [];
    for (const [name, resource] of kinds) {
      const items = await dumping.list(join(namespace, name), resource, namespace);
      if (resource === pods) found = items as Pod[];
    }
    for (const pod of found) await dumping.logs(pod);
  }
  const folder = flags["output-directory"];
  if (folder !== "" && folder !== "-") context.out.write(`Cluster info dumped to ${folder}\n`);
}

async function chosenNamespaces(
  flags: DumpInvocation["flags"],
  context: Context,
): Promise<string[]> {
  if (flags["all-namespaces"]) {
    const client = await context.cluster.client();
    return (await client.listAll(namespaces)).map(({ metadata }) => metadata?.name ?? "");
  }
  if (flags.namespaces.length > 0) return [...flags.namespaces];
  return ["kube-system", (await context.cluster.namespace()).namespace];
}

class Dumping {
  readonly #context: Context;
  readonly #printer: Printer;
  readonly #flags: DumpInvocation["flags"];

  constructor(context: Context, printer: Printer, flags: DumpInvocation["flags"]) {
    this.#context = context;
    this.#printer = printer;
    this.#flags = flags;
  }

  /** Prints all objects of a type; returns them. */
  async list(file: string, resource: Resource, namespace: string): Promise<readonly unknown[]> {
    const client = await this.#context.cluster.client();
    const list = await client.list(resource as Resource<Unstructured>, { namespace });
    const { output } = this.#flags;
    const extension = output === "json" || output === "yaml" ? `.${output}` : ".txt";
    this.#into(`${file}${extension}`, (out) =>
      this.#printer.print(list as unknown as Unstructured, out),
    );
    return list.items;
  }

  /** Prints the logs of all containers of a Pod. */
  async logs(pod: Pod): Promise<void> {
    const { name = "", namespace = "" } = pod.metadata ?? {};
    const { initContainers = [], containers = [] } = pod.spec ?? {};
    const parts: (string | Buffer)[] = [];
    for (const container of [...initContainers, ...containers]) {
      const title = `logs for container ${container.name} of pod ${namespace}/${name} ====\n`;
      parts.push(`==== START ${title}`);
      try {
        parts.push(await this.#log(namespace, name, container.name));
      } catch (error) {
        parts.push(`Request log error: ${messageOf(error)}\n`);
      }
      parts.push(`==== END ${title}`);
    }
    this.#into(join(namespace, name, "logs.txt"), (out) => {
      for (const part of parts) out.write(part);
    });
  }

  async #log(namespace: string, name: string, container: string): Promise<Buffer> {
    const transport = await this.#context.cluster.transport();
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/log`;
    const request = { method: "GET", path, query: { container } };
    const { status, headers, chunks } = await transport.stream(request);
    const bytes = await readAll(chunks);
    if (status < 400) return bytes;
    const text = bytes.toString();
    const body: unknown = text.startsWith("{") ? JSON.parse(text) : text;
    throw responseError(request, { status, headers, body }) ?? new CommandError(text);
  }

  #into(file: string, write: (out: Sink) => void): void {
    const folder = this.#flags["output-directory"];
    if (folder === "" || folder === "-") {
      write(this.#context.out);
      return;
    }
    const path = join(folder, file);
    const chunks: Buffer[] = [];
    write({ write: (chunk) => void chunks.push(Buffer.from(chunk as string)) });
    try {
      makeFolders(dirname(path), { mode: 0o700, from: this.#context.cwd });
    } catch (error) {
      throw new CommandError(folderFailure(error), { cause: error });
    }
    try {
      writeFileSync(this.#context.path(path), Buffer.concat(chunks), { mode: 0o600 });
    } catch (error) {
      throw new CommandError(openFailure(path, error), { cause: error });
    }
  }
}
