import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { clusterPaths } from "#/cluster/base/paths.ts";
import { getSettings } from "#/cluster/base/settings.ts";
import { readSharedFiles } from "#/cluster/shared-keys/shared-files.ts";
import { systemClock } from "#/std/time/clock.ts";
import { until } from "#/testing/until.ts";
import { launcher } from "../e2e/machine.ts";
import { type Machine, type Machines, signal } from "./machines.ts";

const run = promisify(execFile);
/** Limit of a rotation (ms) on a machine that is busy. */
const rotationMs = 600_000;

export const subjects = [
  "ca",
  "front-proxy-ca",
  "kubelet-ca",
  "service-account",
  "encryption",
] as const;
type Subject = (typeof subjects)[number];

/** Points at which the command is killed (see operation.ts): before and after each step. Those that a rotation lacks have no effect. */
export const killPoints: readonly number[] = Array.from({ length: 12 }, (_, index) => index);

interface Rotation {
  readonly subject: Subject;
  /** Where the command is killed, one point after the other; then it runs to its end. */
  readonly kills: readonly number[];
  /** A server that is killed as soon as the rotation has begun; its supervisor starts it again. */
  readonly killed?: Machine | undefined;
}

/** Rotates what servers share, at the first server. Returns how long it took (ms). */
export async function rotate(
  machines: Machines,
  { subject, kills, killed }: Rotation,
): Promise<number> {
  const beganMs = systemClock.monotonicMs();
  const words = ["certificate", "rotate", subject, "--name", machines.first.name];
  for (const point of kills) {
    const env = { ...process.env, K8TS_KILL_AT: String(point) };
    await run(launcher, words, { env, timeout: rotationMs }).catch((error: unknown) => {
      const { signal: by } = error as { signal?: string };
      assert.equal(by, "SIGKILL", String(error));
    });
  }
  const ended = run(launcher, words, { timeout: rotationMs });
  if (killed) signal(killed, "server", "SIGKILL");
  await ended;
  return Math.round(systemClock.monotonicMs() - beganMs);
}

/** All servers have the same keys, and each works with what the others have made; all nodes are ready. */
export async function checkServers(machines: Machines, mark: string): Promise<void> {
  const [first, ...others] = machines.servers;
  assert.ok(first);
  const expected = await sharedOf(first);
  assert.deepEqual(
    Object.keys(expected).filter((name) => name.startsWith("next/")),
    [],
    "nothing is left of the rotation",
  );
  for (const other of others) assert.deepEqual(await sharedOf(other), expected, other.name);
  for (const [index, server] of machines.servers.entries()) {
    await machines.kubectl(
      server,
      "create",
      "secret",
      "generic",
      `${mark}-${index}`,
      `--from-literal=a=${index}`,
    );
  }
  for (const server of machines.servers) await checkServer(machines, server, mark);
  for (const { nodeName } of machines.all) {
    const path = 'jsonpath={.status.conditions[?(@.type=="Ready")].status}';
    await until(`node ${nodeName} is ready`, async () => {
      const ready = await machines.kubectl(first, "get", "node", nodeName, "-o", path);
      return ready === "True";
    });
  }
}

async function checkServer(machines: Machines, server: Machine, mark: string): Promise<void> {
  for (const index of machines.servers.keys()) {
    const path = "jsonpath={.data.a}";
    const value = await machines.kubectl(server, "get", "secret", `${mark}-${index}`, "-o", path);
    assert.equal(Buffer.from(value, "base64").toString(), String(index));
  }
  const token = (await machines.kubectl(server, "create", "token", "default")).trim();
  for (const other of machines.servers) {
    assert.equal(await review(machines, other, token), "true", `${other.name}: a token`);
  }
}

/** Whether a server takes a token as valid. */
async function review(machines: Machines, at: Machine, token: string): Promise<string> {
  const file = `${at.folder}/review.json`;
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token } };
  writeFileSync(file, JSON.stringify(body));
  const path = "jsonpath={.status.authenticated}";
  return await machines.kubectl(at, "create", "-f", file, "-o", path);
}

async function sharedOf({ folder }: Machine): Promise<Readonly<Record<string, string>>> {
  const paths = clusterPaths(folder);
  return await readSharedFiles(paths.pki, getSettings(paths));
}
