/** The gateway's data plane before one backend: `program.ts PORT BACKEND_PORT`; a process of its own for gateway.ts. */

import { Backends } from "#/gateway/backends/backends.ts";
import { gatewayMetrics, replyCounter } from "#/gateway/metrics.ts";
import { Forwarder } from "#/gateway/serve/forwarder.ts";
import { Listener } from "#/gateway/serve/listener.ts";
import { buildRouteTable } from "#/gateway/table/route-table.ts";
import { systemRandom } from "#/std/base/random.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { systemClock } from "#/std/time/clock.ts";

const [port = 0, backendPort = 0] = process.argv.slice(2).map(Number);
const target = { kind: "backend", namespace: "ns", service: "web", port: 80 } as const;
const none = { kind: "reply", status: 404, text: "none\n" } as const;
const table = buildRouteTable([{ host: "", match: "Prefix", path: "/", target }], none);
const backends = new Backends({
  service: () => ({ metadata: {}, spec: { ports: [{ port: 80, name: "p" }] } }),
  slices: () => [
    {
      metadata: {},
      addressType: "IPv4",
      endpoints: [{ addresses: ["127.0.0.1"] }],
      ports: [{ name: "p", port: backendPort }],
    },
  ],
});
const clock = systemClock;
const onReply = replyCounter(gatewayMetrics(new Registry()));
const forwarder = new Forwarder({ backends, clock, random: systemRandom, onReply });
await new Listener({ forwarder, findTable: () => table, clock, publicPort: 80 }).listen(
  port,
  "127.0.0.1",
);
process.stdout.write("ready\n");
