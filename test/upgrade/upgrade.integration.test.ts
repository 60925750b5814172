import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { traces, webImage } from "../e2e/machine.ts";
import { Containers } from "../faults/kill/containers.ts";
import { checkOut, findLastRelease } from "./last-release.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
/** A name of this run's own, so that two runs on a machine don't conflict. */
const name = `upgrade-${process.pid.toString(36)}`;
const data = `/var/lib/k8ts-${name}`;
const image = "k8ts.test/web:1";
const replicas = 30;
/** Limit of the time (ms) of an upgrade of all nodes. */
const upgradeMs = 900_000;

const release = await findLastRelease(root);
const folders = [data, join(data, "nodes/2"), join(data, "nodes/3")];

/** All containers of all nodes: a restart makes another id, process or start time. */
const containers = (): string[] =>
  folders
    .flatMap((folder) => new Containers(folder).running())
    .map(({ pod, id, pid, startedAt }) => `${pod} ${id} ${pid} ${startedAt}`)
    .sort();

/** The version of the program that each node runs. */
const versions = (): string[] =>
  folders.map((folder) => {
    const file = join(folder, "current/package.json");
    return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
  });

class Cluster implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "k8ts-upgrade-"));
  readonly old = join(this.folder, "old/k8ts");
  readonly #kubeconfig = join(this.folder, "kubeconfig");

  async k8ts(launcher: string, ...words: string[]): Promise<string> {
    const options = { timeout: upgradeMs };
    const { stdout, stderr } = await run(launcher, [...words, "--name", name], options);
    return stdout + stderr;
  }

  async kubectl(...words: string[]): Promise<string> {
    const flag = `--kubeconfig=${this.#kubeconfig}`;
    return (await run(this.old, ["kubectl", flag, ...words], { timeout: upgradeMs })).stdout;
  }

  /** Starts three nodes of the old version, with Pods on each. */
  async start(): Promise<void> {
    await this.k8ts(this.old, "up", "--nodes=3", "--kubeconfig", this.#kubeconfig);
    const archive = join(this.folder, "web.tar");
    writeFileSync(archive, webImage(image));
    await this.k8ts(this.old, "image", "load", archive);
    await this.kubectl("create", "deployment", "web", `--image=${image}`, `--replicas=${replicas}`);
    await this.kubectl("rollout", "status", "deployment/web", "--timeout=180s");
  }

  /** The Pods with their nodes and restarts, as the API has them, once all are as wanted. */
  async pods(): Promise<string> {
    await this.kubectl("rollout", "status", "deployment/web", "--timeout=180s");
    const columns = "{.metadata.name} {.spec.nodeName} {.status.containerStatuses[*].restartCount}";
    return await this.kubectl("get", "pods", `-o=jsonpath={range .items[*]}${columns}{"\\n"}{end}`);
  }

  /** Removes a Pod, and waits until it is gone. */
  async remove(pod: string): Promise<void> {
    await this.kubectl("delete", "pod", pod, "--timeout=60s");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The first error is the one that matters.
    await this.k8ts(join(root, "k8ts"), "down", "--purge").catch(({ message }: Error) => {
      process.stderr.write(`${message}\n`);
      process.exitCode = 1;
    });
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const skip = release ? false : "this clone has no history with another version";

test(`an upgrade from ${release?.version} and back restarts no container, and keeps all objects`, {
  skip,
}, async () => {
  assert.ok(release);
  {
    await using cluster = new Cluster();
    await checkOut(root, release, join(cluster.folder, "old"));
    await cluster.start();
    await cluster.kubectl("create", "secret", "generic", "before", "--from-literal=a=old");
    const [running, pods] = [containers(), await cluster.pods()];
    assert.ok(running.length >= 2 * replicas);
    assert.equal(new Set(pods.split("\n").map((line) => line.split(" ")[1])).size, 4, pods);

    const said = await cluster.k8ts(join(root, "k8ts"), "upgrade");
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    assert.deepEqual(versions(), [version, version, version]);
    assert.deepEqual(containers(), running);
    assert.equal(await cluster.pods(), pods);
    const secret = (of: string) => cluster.kubectl("get", "secret", of, "-o=jsonpath={.data.a}");
    assert.equal(atob(await secret("before")), "old");
    await cluster.kubectl("create", "secret", "generic", "after", "--from-literal=a=new");
    const again = await cluster.k8ts(join(root, "k8ts"), "upgrade");
    assert.match(again, /^The cluster runs k8ts \S+ already\.$/m);

    // What the other version has made can be removed.
    await cluster.remove(pods.split(" ")[0] ?? "");
    const podsNow = await cluster.pods();
    const runningNow = containers();

    const [, back = ""] = /To go back: (\S+) upgrade --rollback/.exec(said) ?? [];
    await cluster.k8ts(back, "upgrade", "--rollback");
    assert.deepEqual(versions(), [release.version, release.version, release.version]);
    assert.deepEqual(containers(), runningNow);
    assert.equal(await cluster.pods(), podsNow);
    for (const line of podsNow.trim().split("\n").slice(-3)) {
      await cluster.remove(line.split(" ")[0] ?? "");
    }
    assert.deepEqual([atob(await secret("before")), atob(await secret("after"))], ["old", "new"]);
  }
  assert.deepEqual(await traces(name), []);
});
