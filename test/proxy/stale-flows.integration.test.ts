import assert from "node:assert/strict";
import { test } from "node:test";
import type { Endpoint } from "#/proxy/base/endpoint.ts";
import type { ServicePort } from "#/proxy/base/service-port.ts";
import { forgetStaleFlows } from "#/proxy/conntrack/forget-stale-flows.ts";
import { logger } from "#/std/log/log.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import { mayMakeNamespaces, NetworkNamespace } from "#/testing/network-namespace.ts";

const options = { skip: !mayMakeNamespaces && "needs root" };
const count = 10_000;

const families = {
  IPv4: { service: "10.96.0.10", pod: (n: number) => `10.244.${n >> 8}.${n & 255}` },
  IPv6: { service: "fd00:96::a", pod: (n: number) => `fd00:244::${n.toString(16)}` },
};

for (const [family, { service, pod }] of Object.entries(families)) {
  const host = (ip: string): string => (ip.includes(":") ? `[${ip}]` : ip);

  test(
    `10,000 stale flows of ${family} are deleted with one process, others are kept`,
    options,
    async () => {
      await using namespace = await NetworkNamespace.create();
      // Every flow has an endpoint of its own; the first of them serve.
      const lines = Array.from({ length: count + 10 }, (_, index) => {
        const [client, endpoint] = [pod(0xf000 + (index & 0xff)), pod(index + 1)];
        const ports = `--sport ${10_000 + index} --dport 53 --reply-port-src 5353 --reply-port-dst ${10_000 + index}`;
        return `-A -t 600 -u SEEN_REPLY -s ${client} -d ${service} -r ${endpoint} -q ${client} -p udp ${ports}\n`;
      });
      // conntrack opens its standard input by name, which must be a pipe.
      await namespace.run("sh", ["-c", "cat | conntrack -R -"], lines.join(""));
      const shared = { externalIps: [], loadBalancerIps: [], nodePort: 0 };
      const port = { ...shared, protocol: "UDP", clusterIp: service, port: 53 };
      const endpoints = Array.from({ length: 10 }, (_, index) => {
        return { address: `${host(pod(index + 1))}:5353`, serving: true } as Endpoint;
      });
      const programs: string[] = [];
      const run: RunProgram = (program, ...rest) => {
        programs.push(program);
        return namespace.run(program, ...rest);
      };
      const ports = [{ port: port as unknown as ServicePort, endpoints }];
      const log = logger("proxy-test");
      const forget = (): Promise<number> =>
        forgetStaleFlows(family as keyof typeof families, ports, { run, log });
      assert.equal(await forget(), count);
      assert.deepEqual(programs, ["conntrack", "perl"]);
      assert.equal((await namespace.sh("conntrack -C")).trim(), "10");
      assert.equal(await forget(), 0);
    },
  );
}
