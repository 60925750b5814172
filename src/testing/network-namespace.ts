import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type FollowRoutes, routeChangesOf } from "#/network/route-changes.ts";
import { routeMonitor } from "#/network/route-monitor.ts";
import { type FollowRemovals, monitorCommands, removalsOf } from "#/std/netfilter/removals.ts";
import { type RunProgram, runProgram } from "#/std/process/run-program.ts";
import { until } from "./until.ts";

/** Whether this process may create network namespaces, which requires root. */
export const mayMakeNamespaces = process.getuid?.() === 0;

/** A network namespace for a test; disposing ends the programs started there and removes it. */
export class NetworkNamespace implements AsyncDisposable {
  readonly name: string;
  readonly #isOwned: boolean;
  readonly #children: ChildProcess[] = [];
  readonly #following: Disposable[] = [];

  static async create(): Promise<NetworkNamespace> {
    const namespace = new NetworkNamespace(`k8ts-test-${randomBytes(4).toString("hex")}`);
    await runProgram("ip", ["netns", "add", namespace.name]);
    await namespace.run("ip", ["link", "set", "lo", "up"]);
    return namespace;
  }

  /**
   * A namespace that the code under test creates and removes: disposing ends only the programs
   * started there.
   */
  static of(name: string): NetworkNamespace {
    return new NetworkNamespace(name, false);
  }

  private constructor(name: string, isOwned = true) {
    this.name = name;
    this.#isOwned = isOwned;
  }

  /** Runs a program inside, like runProgram. */
  readonly run: RunProgram = (program, args, input) =>
    runProgram("nsenter", [`--net=/run/netns/${this.name}`, program, ...args], input);

  /** The command that runs another one inside. */
  enter(command: readonly string[]): string[] {
    return ["nsenter", `--net=/run/netns/${this.name}`, ...command];
  }

  /** Runs a shell script inside, up to its first failure. */
  sh(script: string): Promise<string> {
    return this.run("sh", ["-ec", script]);
  }

  /** Starts a program inside that ends with the namespace. */
  start(program: string, args: readonly string[]): ChildProcess {
    const enter = [`--net=/run/netns/${this.name}`, program, ...args];
    const child = spawn("nsenter", enter, { stdio: ["ignore", "pipe", "pipe"] });
    this.#children.push(child);
    return child;
  }

  /** Follows removals of packet rules inside; resolves when reports are received. */
  async followRemovals(): Promise<FollowRemovals> {
    const follow = removalsOf(monitorCommands.map((command) => this.enter(command)));
    let isFollowed = false;
    this.#following.push(
      follow((removal) => {
        isFollowed ||= removal.includes("follow-test");
      }),
    );
    await until("removals are reported", async () => {
      if (!isFollowed) {
        await this.sh("nft add table ip follow-test; nft delete table ip follow-test");
      }
      return isFollowed;
    });
    return follow;
  }

  /** Follows changes of routes inside; resolves when reports are received. */
  async followRoutes(): Promise<FollowRoutes> {
    const listeners = new Set<(line: string) => void>();
    let isFollowed = false;
    const follow = routeChangesOf(this.enter(routeMonitor));
    this.#following.push(
      follow((line) => {
        isFollowed = true;
        for (const listener of listeners) listener(line);
      }),
    );
    await until("changes of routes are reported", async () => {
      if (!isFollowed) {
        await this.sh("ip addr add 192.0.2.77/32 dev lo; ip addr del 192.0.2.77/32 dev lo");
      }
      return isFollowed;
    });
    return (listener) => {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    };
  }

  /** Listens on a port inside; sends each client its own address and a name. */
  async serveAddresses(port: number, name = ""): Promise<void> {
    const script = `require("node:net").createServer((socket) =>
      socket.end(socket.remoteAddress.replace("::ffff:", "") + " ${name}")).listen(${port}, () => console.log())`;
    const server = this.start(process.execPath, ["-e", script]);
    if (server.stdout) await once(server.stdout, "data");
  }

  /** Connects from inside to such a port, and returns the received text; throws if that fails. */
  async askAddress(host: string, port: number, timeoutMs = 3000): Promise<string> {
    const target = JSON.stringify({ host, port, timeout: timeoutMs });
    const script = `require("node:net").connect(${target})
      .on("timeout", () => process.exit(1)).pipe(process.stdout)`;
    return (await this.run(process.execPath, ["-e", script])).trim();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const following of this.#following) following[Symbol.dispose]();
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    if (this.#isOwned) await runProgram("ip", ["netns", "del", this.name]);
  }
}
