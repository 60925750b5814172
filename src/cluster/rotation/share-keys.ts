import { randomUUID } from "node:crypto";
import { systemClock } from "#/std/time/clock.ts";
import { ServerSession } from "../access/server-session.ts";
import { CommandFailure } from "../base/command-failure.ts";
import type { Operation } from "../base/operation.ts";
import { ownCommand } from "../base/own-command.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { getSettings } from "../base/settings.ts";
import { roleLabel } from "../programs/publish-server.ts";
import { removeServerKeys } from "../servers/keys-secret.ts";
import {
  keysNamespace,
  keysObject,
  keysPath,
  type PublishedKeys,
  readKeysObject,
  sealFiles,
  usedAnnotation,
} from "../shared-keys/published-keys.ts";
import { countState, readSharedFiles } from "../shared-keys/shared-files.ts";
import { retried } from "./publish-authorities.ts";

/** Limit of the wait for all servers (ms), and the interval of looks. */
const serversMs = 180_000;
const lookMs = 500;

interface ServerNode {
  readonly metadata: {
    readonly name: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** What is known of a rotation in each of its steps. */
export interface SharingState {
  /** Servers and nodes that are not waited for: they are gone, or have to join again. */
  readonly without?: readonly string[];
}

/**
 * The steps of a rotation between those by which all servers take part in it: the first changes nothing, so that a server
 * which does not answer, or has other keys, is found before anything has changed.
 */
export const betweenServers =
  <State extends SharingState>(
    subject: string,
    steps: Operation<State>["steps"],
  ): Operation<State>["steps"] =>
  (paths) => [
    {
      name: `${subject}: all servers take part`,
      async run(state) {
        await withoutTokens(paths);
        await shareKeys(paths, subject, state);
      },
      undo: () => endSharing(paths, subject),
    },
    ...steps(paths),
    {
      name: `${subject}: the servers have ended it`,
      async run() {
        // Machines that have got keys meanwhile have those of a step.
        await withoutTokens(paths);
        await endSharing(paths, subject);
      },
    },
  ];

async function withoutTokens(paths: ClusterPaths): Promise<void> {
  await retried(async () => {
    using session = await ServerSession.open(paths, getSettings(paths));
    await removeServerKeys(session);
  });
}

/** Publishes the keys as they are now to the other servers, if there are any, and waits until all of them use these. */
export async function shareKeys(
  paths: ClusterPaths,
  subject: string,
  { without = [] }: SharingState,
): Promise<void> {
  const settings = getSettings(paths);
  const others = await retried(() => otherServers(paths));
  if (others.length === 0) return;
  await countState(paths.pki);
  const id = randomUUID();
  const of = { subject, driver: settings.nodeName, id };
  const keys = await sealFiles(paths.pki, of, await readSharedFiles(paths.pki, settings));
  const refusal = await retried(async () => {
    using session = await ServerSession.open(paths, settings);
    const found = await findPublished(session);
    const reason = found && (await otherDriver(session, found, { paths, subject }));
    if (reason === undefined) await publish(session, keysObject(keys), found ? "PUT" : "POST");
    return reason;
  });
  if (refusal !== undefined) throw new CommandFailure(refusal);
  const endMs = systemClock.monotonicMs() + serversMs;
  for (;;) {
    const late = (await retried(() => otherServers(paths)))
      .filter(({ metadata }) => metadata.annotations?.[usedAnnotation] !== id)
      .map(({ metadata }) => metadata.name)
      .filter((name) => !without.includes(name));
    if (late.length === 0) return;
    if (systemClock.monotonicMs() > endMs) throw new CommandFailure(lateText(late));
    await systemClock.sleep(lookMs);
  }
}

const lateText = (late: readonly string[]): string =>
  `these servers have not followed: ${late.join(", ")}; start them, or run \`${ownCommand("leave")} NAME\` for those that are gone, then the command again`;

/** The nodes of the other servers. */
async function otherServers(paths: ClusterPaths): Promise<readonly ServerNode[]> {
  const settings = getSettings(paths);
  using session = await ServerSession.open(paths, settings);
  const path = `/api/v1/nodes?labelSelector=${encodeURIComponent(roleLabel)}`;
  const { items } = await session.json<{ readonly items: readonly ServerNode[] }>("GET", path);
  return items.filter(({ metadata }) => metadata.name !== settings.nodeName);
}

/** The keys that are published; undefined if no rotation runs. */
async function findPublished(session: ServerSession): Promise<PublishedKeys | undefined> {
  const { status, text } = await session.ask("GET", keysPath);
  if (status === 404) return undefined;
  const found = status === 200 ? readKeysObject(JSON.parse(text)) : undefined;
  if (!found) throw new CommandFailure(`${keysPath}: ${status} ${text.slice(0, 200)}`);
  return found;
}

/** Why another server has to end its rotation first; undefined if it need not, as it is gone and this one can end it. */
async function otherDriver(
  session: ServerSession,
  found: PublishedKeys,
  { paths, subject }: { readonly paths: ClusterPaths; readonly subject: string },
): Promise<string | undefined> {
  if (found.driver === getSettings(paths).nodeName) return undefined;
  const command = `${ownCommand("certificate rotate")} ${found.subject}`;
  const { status } = await session.ask("GET", `/api/v1/nodes/${found.driver}`);
  if (status !== 404) {
    return `the server ${found.driver} rotates ${found.subject}: end that first, there: ${command}`;
  }
  if (found.subject === subject) return undefined;
  return `${found.driver}, which is gone, has not ended its rotation of ${found.subject}: run this here first: ${command}`;
}

async function publish(
  session: ServerSession,
  value: object,
  method: "POST" | "PUT",
): Promise<void> {
  const path = method === "PUT" ? keysPath : `/api/v1/namespaces/${keysNamespace}/configmaps`;
  await session.json(method, path, { value });
}

/** Ends it for the other servers: what they have is theirs. */
async function endSharing(paths: ClusterPaths, subject: string): Promise<void> {
  const settings = getSettings(paths);
  await retried(async () => {
    using session = await ServerSession.open(paths, settings);
    const found = await findPublished(session);
    if (found?.driver !== settings.nodeName || found.subject !== subject) return;
    const { status, text } = await session.ask("DELETE", keysPath);
    if (status >= 300 && status !== 404) {
      throw new CommandFailure(`${keysPath}: ${status} ${text.slice(0, 200)}`);
    }
  });
}
