import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "#/std/time/clock.ts";
import { digestOf, followedAnnotation } from "../access/node-authorities.ts";
import { ServerSession } from "../access/server-session.ts";
import { CommandFailure } from "../base/command-failure.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { authorityWrites, roleLabel } from "../programs/publish-server.ts";

/** Limit of the wait for all nodes (ms), and the interval of looks. */
const nodesMs = 180_000;
const lookMs = 1_000;
/** How long a session with certificates that are being replaced is retried (ms). */
const sessionMs = 30_000;

const rootConfigMap = "kube-root-ca.crt";
const authentication =
  "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";

interface ObjectList {
  readonly items: readonly {
    readonly metadata: {
      readonly name: string;
      readonly namespace?: string;
      readonly labels?: Readonly<Record<string, string>>;
      readonly annotations?: Readonly<Record<string, string>>;
    };
    readonly data?: Readonly<Record<string, string>>;
  }[];
}

/** Publishes the authorities as they are now, in each place where Pods, nodes, clients and aggregated servers find them. */
export async function publishAuthorities(
  paths: ClusterPaths,
  settings: ClusterSettings,
): Promise<void> {
  await retried(async () => {
    using session = await ServerSession.open(paths, settings);
    for (const { path, query, type, body } of await authorityWrites(paths, settings)) {
      const words = new URLSearchParams({ fieldManager: query.fieldManager, force: "true" });
      await session.json("PATCH", `${path}?${words}`, { type, value: body });
    }
    await publishRoots(session, await readFile(join(paths.pki, "ca.crt"), "utf8"));
    await publishAuthentication(session, paths);
  });
}

/** Pods find the authority of the API server in a ConfigMap of their namespace, whose controller writes the same text. */
async function publishRoots(session: ServerSession, authority: string): Promise<void> {
  const selector = `fieldSelector=metadata.name%3D${rootConfigMap}`;
  const { items } = await session.json<ObjectList>("GET", `/api/v1/configmaps?${selector}`);
  for (const { metadata, data } of items) {
    if (data?.["ca.crt"] === authority) continue;
    const path = `/api/v1/namespaces/${metadata.namespace}/configmaps/${rootConfigMap}`;
    const type = "application/merge-patch+json";
    const { status, text } = await session.ask("PATCH", path, {
      type,
      value: { data: { "ca.crt": authority } },
    });
    if (status >= 300 && status !== 404) throw new CommandFailure(`${path}: ${text.slice(0, 200)}`);
  }
}

/** What aggregated servers trust. The API server adds what it trusts itself, but removes nothing before it has expired. */
async function publishAuthentication(session: ServerSession, paths: ClusterPaths): Promise<void> {
  const pki = (file: string): Promise<string> => readFile(join(paths.pki, file), "utf8");
  const data = {
    "client-ca-file": await pki("ca.crt"),
    "requestheader-client-ca-file": await pki("front-proxy-ca.crt"),
  };
  const type = "application/merge-patch+json";
  await session.json("PATCH", authentication, { type, value: { data } });
}

/** Waits until each node that has joined trusts what is published, and has certificates of what signs. */
export async function untilFollowed(
  paths: ClusterPaths,
  settings: ClusterSettings,
  without: readonly string[],
): Promise<void> {
  const pki = (file: string): Promise<string> => readFile(join(paths.pki, file), "utf8");
  const digest = digestOf({ ca: await pki("ca.crt"), kubeletCa: await pki("kubelet-ca.crt") });
  const endMs = systemClock.monotonicMs() + nodesMs;
  for (;;) {
    const late = await retried(() => lateNodes(paths, settings, digest));
    const missing = late.filter((name) => !without.includes(name));
    if (missing.length === 0) return;
    if (systemClock.monotonicMs() > endMs) {
      const names = missing.join(",");
      throw new CommandFailure(
        `these nodes have not followed: ${names}; start them and run the command again, or give --without=${names}: then they have to join again`,
      );
    }
    await systemClock.sleep(lookMs);
  }
}

/** The nodes of other machines that have not followed yet. A server reads its files itself. */
async function lateNodes(
  paths: ClusterPaths,
  settings: ClusterSettings,
  digest: string,
): Promise<string[]> {
  using session = await ServerSession.open(paths, settings);
  const { items } = await session.json<ObjectList>("GET", "/api/v1/nodes");
  return items
    .filter(({ metadata }) => metadata.labels?.[roleLabel] === undefined)
    .filter(({ metadata }) => metadata.annotations?.[followedAnnotation] !== digest)
    .map(({ metadata }) => metadata.name);
}

/** The server reads new certificates a moment after they were written: until then it refuses this one. */
export async function retried<T>(work: () => Promise<T>): Promise<T> {
  const endMs = systemClock.monotonicMs() + sessionMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (systemClock.monotonicMs() > endMs) throw error;
      await systemClock.sleep(lookMs);
    }
  }
}
