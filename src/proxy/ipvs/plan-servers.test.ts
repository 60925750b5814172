import assert from "node:assert/strict";
import { test } from "node:test";
import type { VirtualServer } from "./fragment.ts";
import { parseServers } from "./installed-servers.ts";
import { idleRemovals, planServers, serversDiffer, serversInNeedOfCounts } from "./plan-servers.ts";

const heading = `IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn
`;
const web: VirtualServer = {
  protocol: "TCP",
  address: "10.96.0.1:80",
  persistenceSeconds: 0,
  realServers: ["10.244.1.1:8080", "10.244.1.2:8080"],
};
const both = `TCP  10.96.0.1:80 rr
  -> 10.244.1.1:8080              Masq    1      0          0
  -> 10.244.1.2:8080              Masq    1      0          0
`;
const key = "TCP 10.96.0.1:80";

interface Case {
  readonly name: string;
  readonly wanted?: VirtualServer;
  /** The kernel's servers, as ipvsadm lists them. */
  readonly listed: string;
  readonly scheduler?: string;
  readonly changes?: readonly string[];
  readonly removals?: readonly string[];
  /** Whether another program must have changed the kernel's servers. */
  readonly differs?: boolean;
  readonly idle?: readonly string[];
  readonly needsCounts?: boolean;
}

const cases: readonly Case[] = [
  {
    name: "adds a server",
    wanted: web,
    listed: "",
    changes: [
      "-A -t 10.96.0.1:80 -s rr",
      "-a -t 10.96.0.1:80 -r 10.244.1.1:8080 -m -w 1",
      "-a -t 10.96.0.1:80 -r 10.244.1.2:8080 -m -w 1",
    ],
    differs: true,
  },
  { name: "leaves a server", wanted: web, listed: both },
  {
    name: "removes a server with its connections",
    listed: `TCP  10.96.0.1:80 rr
  -> 10.244.1.1:8080              Masq    1      5          0
`,
    removals: ["-D -t 10.96.0.1:80"],
    differs: true,
  },
  {
    name: "changes persistence and scheduler",
    wanted: { ...web, persistenceSeconds: 600 },
    listed: both,
    scheduler: "mh",
    changes: ["-E -t 10.96.0.1:80 -s mh -p 600 -b mh-port"],
    differs: true,
  },
  {
    name: "leaves persistence and flags",
    wanted: { ...web, persistenceSeconds: 600 },
    listed: both.replace("rr", "mh (mh-port) persistent 600"),
    scheduler: "mh",
  },
  {
    name: "removes a real server without connections",
    wanted: { ...web, realServers: ["10.244.1.1:8080"] },
    listed: both,
    changes: ["-d -t 10.96.0.1:80 -r 10.244.1.2:8080"],
    differs: true,
    needsCounts: true,
  },
  {
    name: "gives a real server with connections no new ones",
    wanted: { ...web, realServers: ["10.244.1.1:8080"] },
    listed: both.replace(/0\n$/, "3\n"),
    changes: ["-e -t 10.96.0.1:80 -r 10.244.1.2:8080 -m -w 0"],
    differs: true,
    needsCounts: true,
  },
  {
    name: "keeps a real server while it has connections",
    wanted: { ...web, realServers: ["10.244.1.1:8080"] },
    listed: `TCP  10.96.0.1:80 rr
  -> 10.244.1.1:8080              Masq    1      0          0
  -> 10.244.1.2:8080              Masq    0      0          2
`,
    needsCounts: true,
  },
  {
    name: "removes a real server when its last connection has ended",
    wanted: { ...web, realServers: ["10.244.1.1:8080"] },
    listed: `TCP  10.96.0.1:80 rr
  -> 10.244.1.1:8080              Masq    1      0          0
  -> 10.244.1.2:8080              Masq    0      0          0
`,
    changes: ["-d -t 10.96.0.1:80 -r 10.244.1.2:8080"],
    idle: ["-d -t 10.96.0.1:80 -r 10.244.1.2:8080"],
    needsCounts: true,
  },
  {
    name: "lets a real server that returns have connections again",
    wanted: web,
    listed: `TCP  10.96.0.1:80 rr
  -> 10.244.1.1:8080              Masq    1      0          0
  -> 10.244.1.2:8080              Masq    0      1          0
`,
    changes: ["-e -t 10.96.0.1:80 -r 10.244.1.2:8080 -m -w 1"],
    differs: true,
  },
];

for (const each of cases) {
  const { name, wanted, listed, scheduler = "rr", changes = [], removals = [] } = each;
  test(`planServers() ${name}`, () => {
    const options = {
      scheduler,
      flag: scheduler === "mh" ? "mh-port" : "",
      wanted: () => wanted,
      installed: parseServers(heading + listed, "IPv4"),
    };
    const plan = planServers([key], options);
    assert.deepEqual([plan.changes, plan.removals], [changes, removals]);
    assert.equal(serversDiffer([key], options), each.differs ?? false);
    assert.deepEqual(idleRemovals(options), each.idle ?? []);
    assert.deepEqual(serversInNeedOfCounts([key], options), each.needsCounts ? [key] : []);
  });
}

test("planServers() removes a real server of UDP and SCTP whatever its connections", () => {
  const listed = `${heading}UDP  [fd00::1]:53 rr
  -> [fd00::2]:53                 Masq    1      0          7
SCTP [fd00::1]:99 rr
  -> [fd00::2]:99                 Masq    1      7          0
TCP  10.96.0.1:80 rr
`;
  const installed = parseServers(listed, "IPv6");
  assert.deepEqual([...installed.keys()], ["UDP [fd00::1]:53", "SCTP [fd00::1]:99"]);
  const wanted = (of: string): VirtualServer | undefined => {
    const server = installed.get(of);
    return server && { ...server, realServers: [] };
  };
  const plan = planServers(installed.keys(), { scheduler: "rr", flag: "", wanted, installed });
  assert.deepEqual(plan.changes, [
    "-d -u [fd00::1]:53 -r [fd00::2]:53",
    "-d --sctp-service [fd00::1]:99 -r [fd00::2]:99",
  ]);
});
