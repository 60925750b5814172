import { parentPort, workerData } from "node:worker_threads";
import { parseFlags } from "#/std/flags/flags.ts";
import { logAs } from "#/std/log/log-as.ts";
import { applyLogFlags } from "#/std/log/log-flags.ts";
import { gatewayFlags } from "./flags.ts";
import { start } from "./run.ts";

/** The gateway in a thread: runs until its process sends a message. */
const args = workerData as readonly string[];
applyLogFlags(parseFlags(gatewayFlags, args).values);
const stop = new AbortController();
parentPort?.once("message", () => stop.abort());
await logAs("gateway", () => start(args, stop.signal, { awaitsKubeconfig: true }));
parentPort?.close();
