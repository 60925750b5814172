/**
 * Requests per second of processor time of the gateway and of nginx as proxies before the same backend, in turn and in one
 * run: HTTP/1.1 over kept connections, small bodies.
 *
 *   bench/gateway/gateway.ts [--seconds 5] [--connections 32] [--rounds 3]
 *
 * Needs nginx and wrk in $PATH (Debian's packages). The processor time of both is read from /proc, so that a busy machine
 * matters little.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { freePort } from "#/testing/free-port.ts";
import { until } from "#/testing/until.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    connections: { type: "string", default: "32" },
    rounds: { type: "string", default: "3" },
  },
});
const folder = mkdtempSync(join(tmpdir(), "bench-gateway-"));
const [backendPort, nginxPort, ownPort] = [await freePort(), await freePort(), await freePort()];
const ticksPerSecond = 100;

/** Starts nginx with one worker; returns the process. */
function nginx(name: string, server: string): ChildProcess {
  const file = join(folder, `${name}.conf`);
  writeFileSync(
    file,
    `daemon off; worker_processes 1; pid ${folder}/${name}.pid; error_log /dev/null;
events { worker_connections 1024; }
http { access_log off; keepalive_requests 1000000000; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p;
fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
${server} }`,
  );
  return spawn("nginx", ["-c", file, "-p", folder, "-e", "/dev/null"], { stdio: "ignore" });
}

const children = (pid: number): number[] =>
  readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((candidate) => statOf(candidate)?.[1] === String(pid));

/** The fields of a process after its name; undefined if it has ended. */
function statOf(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ");
  } catch {
    return undefined;
  }
}

/** The processor time of a process and its children (s). */
function processorSeconds(pid: number): number {
  const ticks = [pid, ...children(pid)].map((one) => {
    const fields = statOf(one) ?? [];
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, one) => sum + one, 0) / ticksPerSecond;
}

/** Requests per second of processor time, under load for some seconds. */
function measure(port: number, pid: number): number {
  const before = processorSeconds(pid);
  const load = ["-t1", `-c${values.connections}`, `-d${values.seconds}s`];
  const text = execFileSync("wrk", [...load, `http://127.0.0.1:${port}/`], { encoding: "utf8" });
  const [, requests = "0"] = /(\d+) requests in/.exec(text) ?? [];
  const errors = /Non-2xx|Socket errors/.exec(text);
  if (errors) throw new Error(text);
  return Number(requests) / (processorSeconds(pid) - before);
}

const median = (all: readonly number[]): number =>
  all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;

const running: ChildProcess[] = [];
try {
  running.push(
    nginx("backend", `server { listen ${backendPort}; return 200 "hello from a backend\\n"; }`),
  );
  const proxy = nginx(
    "proxy",
    `upstream b { server 127.0.0.1:${backendPort}; keepalive 64; }
server { listen ${nginxPort}; location / { proxy_pass http://b; proxy_http_version 1.1; proxy_set_header Connection "";
proxy_set_header Host $http_host; proxy_set_header X-Forwarded-For $remote_addr; } }`,
  );
  const program = new URL("./program.ts", import.meta.url).pathname;
  const own = spawn(process.execPath, [program, String(ownPort), String(backendPort)]);
  running.push(proxy, own);
  await once(own.stdout, "data");
  await until("nginx", () =>
    fetch(`http://127.0.0.1:${nginxPort}/`).then(
      () => true,
      () => false,
    ),
  );
  measure(ownPort, own.pid ?? 0);
  const rounds = Array.from({ length: Number(values.rounds) }, () => ({
    nginx: measure(nginxPort, proxy.pid ?? 0),
    k8ts: measure(ownPort, own.pid ?? 0),
  }));
  const theirs = median(rounds.map(({ nginx: rate }) => rate));
  const ours = median(rounds.map(({ k8ts }) => k8ts));
  const shown = (rate: number) => rate.toFixed(0).padStart(7);
  process.stdout.write(`requests per second of processor time
nginx ${shown(theirs)}
k8ts  ${shown(ours)}  ${(ours / theirs).toFixed(2)} ×
`);
} finally {
  for (const child of running) child.kill();
  rmSync(folder, { recursive: true });
}
