import { type ChildProcess, spawn } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { freePort } from "#/testing/free-port.ts";

const programs = join(homedir(), ".cache/kube-conformance");

/** The real kube-apiserver, with an etcd of its own. */
export async function runReference(
  flags: readonly string[],
  folder: string,
): Promise<AsyncDisposable> {
  const [client, peer] = [
    `http://127.0.0.1:${await freePort()}`,
    `http://127.0.0.1:${await freePort()}`,
  ];
  const run = (program: string, args: readonly string[]): ChildProcess =>
    spawn(join(programs, program), args, { stdio: "ignore" });
  const etcd = run("bin/etcd", [
    `--data-dir=${join(folder, "etcd")}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    "--unsafe-no-fsync",
  ]);
  const server = run("reference/bin/kube-apiserver", [`--etcd-servers=${client}`, ...flags]);
  return {
    async [Symbol.asyncDispose]() {
      await stop(server);
      await stop(etcd);
    },
  };
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = new Promise((resolve) => child.once("exit", resolve));
  if (child.exitCode !== null || !child.kill("SIGKILL")) return;
  await exited;
}
