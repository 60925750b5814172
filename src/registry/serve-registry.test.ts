import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parseFlags } from "#/std/flags/flags.ts";
import { logger } from "#/std/log/log.ts";
import { systemClock } from "#/std/time/clock.ts";
import { freePort } from "#/testing/free-port.ts";
import { spanAttributes, startOtlpCollector } from "#/testing/otlp-collector.ts";
import { until } from "#/testing/until.ts";
import { registryFlags } from "./flags.ts";
import { serveRegistry } from "./serve-registry.ts";

test("--tracing-config-file has serveRegistry() send a span for each request", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "registry-"));
  t.after(() => rm(directory, { recursive: true }));
  await using collector = await startOtlpCollector();
  const file = join(directory, "tracing.yaml");
  const kind = "apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\n";
  const rate = "samplingRatePerMillion: 1000000\n";
  await writeFile(file, `${kind}endpoint: ${collector.endpoint}\n${rate}`);
  const port = await freePort();
  const flags = parseFlags(registryFlags, [
    ...[`--port=${port}`, "--status-bind-address=", `--tracing-config-file=${file}`],
  ]).values;
  const stop = new AbortController();
  const serving = serveRegistry({ flags, clock: systemClock, log: logger("test") }, stop.signal);
  const url = `http://localhost:${port}/v2/`;
  await until("the registry answers", () => fetch(url).catch(() => undefined));
  await fetch(`${url}Not-A-Name/manifests/1?secret=x`);
  stop.abort();
  await serving.catch(() => undefined);
  const found = collector.spans().map(spanAttributes);
  assert.deepEqual(
    [found.at(-2)?.["url.path"], found.at(-1)?.["url.path"]],
    [{ string: "/v2/" }, { string: "/v2/Not-A-Name/manifests/1" }],
  );
});
