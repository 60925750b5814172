import assert from "node:assert/strict";
import { test } from "node:test";
import { recordTypes } from "../wire/record.ts";
import { planDnsConfig } from "./plan-dns-config.ts";
import { readCorefile } from "./read-corefile.ts";

const context = { files: { NodeHosts: "192.0.2.9 node-1\n# nothing\n" }, port: 53 };
const plan = (text: string) => planDnsConfig(text, context).blocks;
const only = (plugin: string) => plan(`.:53 {\n${plugin}\n}`)[0];

/** kubeadm's, with a comment and a stub domain. */
const usual = `
.:53 {
    errors
    health {
       lameduck 5s
    }
    ready
    kubernetes cluster.local in-addr.arpa ip6.arpa {
       pods insecure # as kube-dns had it
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }
    prometheus :9153
    forward . /etc/resolv.conf {
       max_concurrent 1000
    }
    cache 30
    loop
    reload
    loadbalance
}
example.org, "internal.example:53" {
    forward . 10.1.2.3 tls://10.1.2.4 {
       tls_servername dns.example.org
       policy sequential
    }
}
`;

test("planDnsConfig() reads kubeadm's Corefile with a stub domain", () => {
  const [root, stub, ...more] = plan(usual);
  assert.deepEqual(more, []);
  assert.deepEqual(root?.kubernetes, {
    zones: ["cluster.local", "in-addr.arpa", "ip6.arpa"],
    ttl: 30,
    pods: true,
    fallthrough: ["in-addr.arpa", "ip6.arpa"],
  });
  assert.deepEqual([root?.zones, root?.loop, root?.errors, root?.log.size], [[""], true, true, 0]);
  assert.deepEqual(root?.cache?.success, { capacity: 9984, maxSeconds: 30, minSeconds: 5 });
  assert.equal(root?.forwards[0]?.usesResolvConf, true);
  assert.deepEqual(stub?.zones, ["example.org", "internal.example"]);
  assert.deepEqual(stub?.forwards[0]?.upstreams, [
    { host: "10.1.2.3", port: 53 },
    { host: "10.1.2.4", port: 853, tlsName: "dns.example.org" },
  ]);
  assert.equal(stub?.forwards[0]?.policy, "sequential");
});

test("planDnsConfig() reads hosts of the file and of a key of the ConfigMap", () => {
  const hosts = only(`hosts /etc/coredns/NodeHosts {
    192.0.2.1 a.example b.example
    2001:db8::1 a.example
    ttl 60
    fallthrough
  }`)?.hosts;
  assert.deepEqual(Object.fromEntries(hosts?.addresses ?? []), {
    "node-1": ["192.0.2.9"],
    "a.example": ["192.0.2.1", "2001:db8::1"],
    "b.example": ["192.0.2.1"],
  });
  assert.deepEqual(hosts?.names.get("192.0.2.1"), ["a.example", "b.example"]);
  assert.deepEqual([hosts?.ttl, hosts?.fallthrough, hosts?.zones], [60, [""], [""]]);
});

test("planDnsConfig() reads the settings of a cache", () => {
  const cache = only(`cache 300 {
    success 5000 3600 10
    denial 2000
    prefetch 10 2m 20%
    serve_stale 2h verify 100ms 30s
    servfail 0
    disable success cluster.local
  }`)?.cache;
  assert.deepEqual(cache, {
    success: { capacity: 5000, maxSeconds: 3600, minSeconds: 10 },
    denial: { capacity: 2000, maxSeconds: 300, minSeconds: 5 },
    failureSeconds: 0,
    prefetch: { amount: 10, gapMs: 120_000, percentage: 20 },
    stale: { forMs: 7_200_000, verifyMs: 100, ttl: 30 },
  });
});

const rewrites: readonly (readonly [rule: string, name: string, expected: string | undefined])[] = [
  ["name a.example b.example", "a.example.", "b.example."],
  ["name a.example b.example", "x.a.example.", undefined],
  ["name exact a.example. b.example.", "a.example.", "b.example."],
  ["name suffix .old.example .new.example", "www.old.example.", "www.new.example."],
  ["name prefix v1. v2.", "v1.example.", "v2.example."],
  ["name substring us-west eu", "a.us-west.example.", "a.eu.example."],
  ["name regex (.*)-(us)\\.example\\. {1}.svc.{2}.test", "ftp-us.example.", "ftp.svc.us.test"],
  ["stop name A.Example b.example", "a.example.", "b.example."],
];
for (const [rule, name, expected] of rewrites) {
  test(`rewrite ${rule}: ${name}`, () => {
    const [found] = only(`rewrite ${rule}`)?.rewrites ?? [];
    assert.equal(found?.apply({ name, type: 1 })?.name, expected);
  });
}

test("rewrite undoes its change in answers where CoreDNS does", () => {
  const back = (rule: string, name: string, found: string) => {
    const result = only(`rewrite ${rule}`)?.rewrites[0]?.apply({ name, type: 1 });
    return result?.names.reduce((changed, map) => map(changed), found);
  };
  assert.equal(back("name a.example b.example", "a.example.", "b.example."), "a.example.");
  assert.equal(back("name suffix .a. .b.", "x.a.", "x.b."), "x.b.");
  assert.equal(back("name suffix .a. .b. answer auto", "x.a.", "y.b."), "y.a.");
  const named = "name regex (.*)\\.a\\. {1}.b. answer name (.*)\\.b\\. {1}.a.";
  assert.equal(back(named, "x.a.", "x.b."), "x.a.");
  const type = only("rewrite continue type AAAA A")?.rewrites[0];
  assert.deepEqual(
    [type?.continues, type?.apply({ name: "a.", type: recordTypes.AAAA })?.type],
    [true, recordTypes.A],
  );
});

const faults: readonly (readonly [text: string, problem: RegExp])[] = [
  ["", /^Corefile:1: there is no block/],
  [". {\n  template IN A\n}", /^Corefile:2: unknown plugin "template"; there are: errors, log/],
  [
    ". {\n  forward . 8.8.8.8 {\n    tls_server x\n  }\n}",
    /^Corefile:3: unknown setting "tls_server" of forward/,
  ],
  [". {\n  errors\n", /^Corefile:1: the block has no closing }/],
  [".\n", /^Corefile:1: a block needs {/],
  ["{\n}", /^Corefile:1: a block needs a zone/],
  [".:1053 {\n}", /^Corefile:1: ".:1053": this server answers on port 53 only/],
  ["tls://. {\n}", /^Corefile:1: "tls:\/\/." is no zone/],
  [". {\n}\n. {\n}", /^Corefile:3: the zone "\." has two blocks/],
  [". {\n  forward . dns.example\n}", /^Corefile:2: dns.example is no address/],
  [". {\n  forward . https://1.1.1.1\n}", /^Corefile:2: https:\/\/1.1.1.1: the protocols are/],
  [". {\n  forward .\n}", /^Corefile:2: forward has 1 arguments; it needs 2 to 16/],
  [
    ". {\n  cache {\n    prefetch 1 1m 5%\n  }\n}",
    /^Corefile:3: 5 is no whole number from 10 to 90/,
  ],
  [". {\n  hosts /etc/hosts\n}", /^Corefile:2: there is no key hosts in the ConfigMap/],
  [". {\n  rewrite class CH IN\n}", /^Corefile:2: rewrite of "class" is not supported/],
  [". {\n  rewrite name regex ( b\n}", /^Corefile:2: \( is no regular expression/],
  [". {\n  kubernetes {\n    pods verified\n  }\n}", /^Corefile:3: pods is disabled or insecure/],
  [". {\n  cache\n  cache\n}", /^Corefile:3: cache is there twice/],
  ['. {\n  log "x\n}', /^Corefile:2: a quote is not closed/],
  [". {\n  health {\n    a {\n      b {\n      }\n    }\n  }\n}", /nested too deep/],
];
for (const [text, message] of faults) {
  test(`planDnsConfig() refuses ${JSON.stringify(text)}`, () =>
    assert.throws(() => plan(text), { name: "CorefileError", message }));
}

test("readCorefile() ends for any text", () => {
  const words = ["{", "}", ".", "\n", " ", '"', "#", "a", ",", "\\", ":53"];
  for (let seed = 1; seed < 3000; seed++) {
    let state = seed;
    const text = Array.from({ length: seed % 40 }, () => {
      state = (state * 48_271) % 2_147_483_647;
      return words[state % words.length];
    }).join("");
    try {
      readCorefile(text);
    } catch (error) {
      assert.equal((error as Error).name, "CorefileError", text);
    }
  }
});
