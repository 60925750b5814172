/** Upstream: pkg/kubelet/nodeshutdown/systemd/inhibit_linux.go. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { ShutdownSource } from "./node-shutdown.ts";
import { parseAnnouncement } from "./parse-announcement.ts";

const match =
  "type='signal',interface='org.freedesktop.login1.Manager',member='PrepareForShutdown',path='/org/freedesktop/login1'";

/** Shutdowns that systemd-logind announces, read with systemd's own programs. */
export class LogindShutdown implements ShutdownSource {
  #lock: ChildProcess | undefined;

  async hold(): Promise<void> {
    if (this.#lock !== undefined) return;
    const options = ["--what=shutdown", "--who=kubelet", "--mode=delay"];
    const why = "--why=Kubelet needs time to handle node shutdown";
    this.#lock = spawn("systemd-inhibit", [...options, why, "sleep", "infinity"], {
      stdio: "ignore",
    });
    this.#lock.on("error", () => undefined);
  }

  async release(): Promise<void> {
    this.#lock?.kill();
    this.#lock = undefined;
  }

  async *events(signal: AbortSignal): AsyncGenerator<boolean> {
    const args = ["--system", "--json=short", "monitor", `--match=${match}`];
    const monitor = spawn("busctl", args, { stdio: ["ignore", "pipe", "ignore"], signal });
    monitor.on("error", () => undefined);
    try {
      for await (const line of createInterface({ input: monitor.stdout })) {
        const announced = parseAnnouncement(line);
        if (announced !== undefined) yield announced;
      }
    } finally {
      monitor.kill();
      await this.release();
    }
  }
}
