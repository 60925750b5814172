import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type GoldenCase,
  normalize,
  type Recorded,
  type Suite,
  splitWords,
  usageOnly,
} from "./golden-case.ts";
import { startLocalNode } from "./local-node.ts";
import { createObjects } from "./objects.ts";
import { type KubectlServer, type RunApiServer, startKubectlServer } from "./start-server.ts";

/** The result of one run of a kubectl. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandRun {
  readonly args: readonly string[];
  readonly stdin: string;
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
}

/** A kubectl: upstream's or ours. */
export type Kubectl = (run: CommandRun) => Promise<Outcome>;

/** Runs the commands of a suite in order against a fresh server; calls back with each answer. */
export async function playSuite(
  suite: Suite,
  kubectl: Kubectl,
  answered: (recorded: Recorded, index: number) => Promise<void> | void,
  runServer?: RunApiServer,
): Promise<void> {
  await using server = await startKubectlServer(runServer);
  await createObjects(server.client);
  await using _node = suite.hasLocalNode ? await startLocalNode(server) : undefined;
  for (const [name, text] of Object.entries(suite.files ?? {})) {
    const path = join(server.folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text.replaceAll("$PROGRAMS", server.programs));
  }
  for (const [index, each] of suite.cases.entries()) {
    await answered(await playCase(each, server, kubectl), index);
  }
}

async function playCase(
  given: GoldenCase,
  server: KubectlServer,
  kubectl: Kubectl,
): Promise<Recorded> {
  const {
    command,
    stdin = "",
    env = {},
    only,
  } = typeof given === "string" ? { command: given } : given;
  const [, ...args] = splitWords(command);
  const { code, stdout, stderr } = await kubectl({
    args,
    stdin: await withUids(stdin, server),
    folder: server.folder,
    env: {
      HOME: server.home,
      PATH: server.programs,
      TMPDIR: server.temporary,
      TERM: "dumb",
      ...env,
    },
  });
  const clean = (text: string): string => {
    const normal = normalize(text, server.port, [server.folder, server.home, server.temporary]);
    return only === "usage" ? usageOnly(normal) : normal;
  };
  return { command, code, stdout: clean(stdout), stderr: clean(stderr) };
}

/** `$UID(/apis/apps/v1/namespaces/shop/deployments/web)` stands for the UID of that object. */
async function withUids(text: string, { client }: KubectlServer): Promise<string> {
  let result = text;
  for (const [all, path = ""] of text.matchAll(/\$UID\(([^)]*)\)/g)) {
    const object = await client.request<{ metadata: { uid: string } }>({ method: "GET", path });
    result = result.replace(all, object.metadata.uid);
  }
  return result;
}
