import { test } from "node:test";
import { freePort } from "#/testing/free-port.ts";
import { readMetrics } from "#/testing/read-metrics.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";
import { start } from "./run.ts";

const expected = [
  /^leader_election_master_status\{name="kube-scheduler"\} 1$/m,
  /^rest_client_requests_total\{code="201",host="none",method="POST"\} \d/m,
  /^rest_client_requests_total\{code="404",host="none",method="GET"\} \d/m,
  /^rest_client_request_duration_seconds_count\{host="none",verb="GET"\} \d/m,
];

test("kube-scheduler serves metrics of its requests and its leadership", async () => {
  await using api = await startApiServer();
  const port = await freePort();
  const stop = new AbortController();
  const flags = [
    `--secure-port=${port}`,
    "--bind-address=127.0.0.1",
    "--authorization-always-allow-paths=/metrics",
    "--authentication-skip-lookup",
  ];
  const connect = () => api.transport();
  const running = start(flags, stop.signal, { connect });
  try {
    for (const pattern of expected) {
      await until(`${pattern} is among the metrics`, async () =>
        pattern.test(await readMetrics(port)),
      );
    }
  } finally {
    stop.abort();
    await running.catch(() => undefined);
  }
});
