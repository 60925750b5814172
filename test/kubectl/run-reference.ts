import { type ChildProcess, spawn } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { EtcdCluster } from "#/testing/etcd-cluster.ts";

const programs = join(homedir(), ".cache/kube-conformance");

/** The real kube-apiserver, with an etcd of its own. */
export async function runReference(flags: readonly string[]): Promise<AsyncDisposable> {
  const etcd = await EtcdCluster.start({ program: join(programs, "bin/etcd") });
  const program = join(programs, "reference/bin/kube-apiserver");
  const server = spawn(program, [`--etcd-servers=${etcd.endpoints.join()}`, ...flags], {
    stdio: "ignore",
  });
  return {
    async [Symbol.asyncDispose]() {
      await stop(server);
      await etcd[Symbol.asyncDispose]();
    },
  };
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = new Promise((resolve) => child.once("exit", resolve));
  if (child.exitCode !== null || !child.kill("SIGKILL")) return;
  await exited;
}
