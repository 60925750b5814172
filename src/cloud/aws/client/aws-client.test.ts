import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { logger } from "#/std/log/log.ts";
import { createServer } from "#/std/net/node-http.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { type AwsClientOptions, createAwsClient } from "./aws-client.ts";
import { AwsError } from "./aws-error.ts";
import { describeInstances, describeSubnets } from "./ec2-operations.ts";
import { createLoadBalancer } from "./elbv2-operations.ts";
import type { Operation } from "./operation.ts";
import { pagesOf } from "./pages.ts";
import { RequestDelay } from "./request-delay.ts";
import { sendOverNetwork } from "./send.ts";
import type { Shape } from "./shape.ts";

interface Answer {
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const subnets = (id: string): string =>
  `<DescribeSubnetsResponse><requestId>r</requestId><subnetSet><item><subnetId>${id}</subnetId></item></subnetSet></DescribeSubnetsResponse>`;

const ec2Error = (code: string, message: string): string =>
  `<?xml version="1.0"?><Response><Errors><Error><Code>${code}</Code><Message>${message}</Message></Error></Errors><RequestID>req-1</RequestID></Response>`;

const elbError = (code: string, message: string): string =>
  `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>req-2</RequestId></ErrorResponse>`;

/** A server that gives these answers in turn, the last one from then on, and a client of it. */
async function connect(answers: readonly Answer[], options: Partial<AwsClientOptions> = {}) {
  const requests: { readonly headers: Readonly<Record<string, unknown>>; readonly body: string }[] =
    [];
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString();
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push({ headers: request.headers, body });
    response.writeHead(answer?.status ?? 200, { ...answer?.headers });
    response.end(answer?.body ?? subnets("subnet-1"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const clock = new SkippingClock();
  const client = createAwsClient({
    keys: async () => ({ accessKeyId: "id", secretAccessKey: "secret" }),
    endpoint: ({ prefix }) => ({
      url: new URL(`http://127.0.0.1:${port}`),
      signingName: prefix,
      signingRegion: "us-west-2",
    }),
    send: sendOverNetwork,
    clock,
    random: () => 0.5,
    log: logger("test"),
    ...options,
  });
  return {
    client,
    clock,
    port,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Sleeps pass at once and are recorded. */
class SkippingClock extends FakeClock {
  readonly sleeps: number[] = [];
  // No time passes: this is the clock itself.
  override async sleep(ms: number): Promise<void> {
    this.sleeps.push(ms);
    await this.advance(ms);
  }
}

const signal = new AbortController().signal;

test("AwsClient sends a signed form and reads the result", async () => {
  await using service = await connect([{}]);
  const params = { SubnetId: ["subnet-1"], Filter: [{ Name: "state", Value: ["available"] }] };
  const result = await service.client.call(describeSubnets, params, signal);
  assert.deepEqual(
    result.subnetSet.map(({ subnetId }) => subnetId),
    ["subnet-1"],
  );
  const [request] = service.requests;
  assert.equal(
    request?.body,
    "Action=DescribeSubnets&Version=2016-11-15&SubnetId.1=subnet-1&Filter.1.Name=state&Filter.1.Value.1=available",
  );
  assert.match(
    String(request?.headers["authorization"]),
    /^AWS4-HMAC-SHA256 Credential=id\/20250101\/us-west-2\/ec2\/aws4_request, SignedHeaders=amz-sdk-invocation-id;amz-sdk-request;content-length;content-type;host;x-amz-date, Signature=[0-9a-f]{64}$/,
  );
});

const refusals = [
  {
    name: "a code of EC2",
    operation: describeSubnets,
    answer: { status: 400, body: ec2Error("InvalidSubnetID.NotFound", "no &lt;vpc&gt;") },
    message:
      "operation error EC2: DescribeSubnets, https response error StatusCode: 400, RequestID: req-1, api error InvalidSubnetID.NotFound: no <vpc>",
    attempts: 1,
  },
  {
    name: "a code that the SDK has a type for",
    operation: createLoadBalancer,
    answer: { status: 400, body: elbError("SubnetNotFound", "gone") },
    message:
      "operation error Elastic Load Balancing v2: CreateLoadBalancer, https response error StatusCode: 400, RequestID: req-2, SubnetNotFound: gone",
    attempts: 1,
  },
  {
    name: "the request id of a header",
    operation: describeSubnets,
    answer: {
      status: 403,
      body: ec2Error("UnauthorizedOperation", "no"),
      headers: { "x-amzn-requestid": "h-1" },
    },
    message:
      "operation error EC2: DescribeSubnets, https response error StatusCode: 403, RequestID: h-1, api error UnauthorizedOperation: no",
    attempts: 1,
  },
  {
    name: "an empty body",
    operation: describeSubnets,
    answer: { status: 404, body: "" },
    message:
      "operation error EC2: DescribeSubnets, https response error StatusCode: 404, RequestID: , api error UnknownError: UnknownError",
    attempts: 1,
  },
  {
    name: "throttling up to the limit of attempts",
    operation: describeSubnets,
    answer: { status: 503, body: ec2Error("RequestLimitExceeded", "slow") },
    message:
      "operation error EC2: DescribeSubnets, exceeded maximum number of attempts, 3, https response error StatusCode: 503, RequestID: req-1, api error RequestLimitExceeded: slow",
    attempts: 3,
  },
  {
    name: "a failing server",
    operation: createLoadBalancer,
    answer: { status: 502, body: "<html>" },
    message:
      "operation error Elastic Load Balancing v2: CreateLoadBalancer, exceeded maximum number of attempts, 3, https response error StatusCode: 502, RequestID: , error while deserializing xml error response: html is not closed, at character 6",
    attempts: 3,
  },
];

for (const { name, operation, answer, message, attempts } of refusals) {
  test(`AwsClient reports ${name} in the SDK's words`, async () => {
    await using service = await connect([answer]);
    await assert.rejects(service.client.call(operation as Operation<object, Shape>, {}, signal), {
      message,
    });
    assert.equal(service.requests.length, attempts);
  });
}

test("AwsClient refuses a malformed result, and reads none that is too deep", async () => {
  await using service = await connect([{ body: "<DescribeSubnetsResponse>" }]);
  await assert.rejects(service.client.call(describeSubnets, {}, signal), (error: unknown) => {
    assert.ok(error instanceof AwsError);
    assert.match(error.message, /deserialization failed, failed to decode response body/);
    return true;
  });
});

test("AwsClient repeats a throttled call after a growing delay", async () => {
  const throttled = { status: 503, body: ec2Error("RequestLimitExceeded", "slow") };
  await using service = await connect([throttled, throttled, {}]);
  const result = await service.client.call(describeSubnets, {}, signal);
  assert.equal(result.subnetSet[0]?.subnetId, "subnet-1");
  assert.deepEqual(service.clock.sleeps, [1000, 2000]);
  assert.deepEqual(
    service.requests.map(({ headers }) => headers["amz-sdk-request"]),
    ["attempt=1; max=3", "attempt=2; max=3", "attempt=3; max=3"],
  );
  const ids = service.requests.map(({ headers }) => headers["amz-sdk-invocation-id"]);
  assert.equal(new Set(ids).size, 1);
});

test("AwsClient has no more retries when its tokens are used up", async () => {
  await using service = await connect([{ status: 500, body: ec2Error("InternalError", "x") }]);
  for (let call = 0; call < 50; call++) {
    await assert.rejects(service.client.call(describeSubnets, {}, signal));
  }
  assert.equal(service.requests.length, 150);
  await assert.rejects(
    service.client.call(describeSubnets, {}, signal),
    /failed to get rate limit token, retry quota exceeded, 0 available, 5 requested$/,
  );
  assert.equal(service.requests.length, 151);
});

test("AwsClient corrects a wrong clock with the service's, also in later calls", async () => {
  const date = "Wed, 01 Jan 2025 01:00:00 GMT";
  const expired = { status: 400, body: ec2Error("RequestExpired", "x"), headers: { date } };
  await using service = await connect([expired, {}, {}]);
  await service.client.call(describeSubnets, {}, signal);
  await service.client.call(describeSubnets, {}, signal);
  const dates = service.requests.map(({ headers }) => headers["x-amz-date"]);
  assert.deepEqual(dates, ["20250101T000000Z", "20250101T010001Z", "20250101T010001Z"]);
});

test("AwsClient leaves its clock alone for a refused signature if the clocks agree", async () => {
  const date = "Wed, 01 Jan 2025 00:00:02 GMT";
  const answer = { status: 403, body: ec2Error("AuthFailure", "x"), headers: { date } };
  await using service = await connect([answer]);
  await assert.rejects(
    service.client.call(describeSubnets, {}, signal),
    /api error AuthFailure: x$/,
  );
  assert.equal(service.requests.length, 1);
});

test("AwsClient reports a refused connection after all attempts", async () => {
  const service = await connect([{}]);
  await service[Symbol.asyncDispose]();
  const { port } = service;
  await assert.rejects(service.client.call(describeSubnets, {}, signal), {
    message: `operation error EC2: DescribeSubnets, exceeded maximum number of attempts, 3, https response error StatusCode: 0, RequestID: , request send failed, Post "http://127.0.0.1:${port}/": dial tcp 127.0.0.1:${port}: connect: connection refused`,
  });
});

test("AwsClient delays later calls while the region is throttled, and counts them", async () => {
  const counted: string[] = [];
  const metrics = {
    recordStatus: (service: string, action: string, status: number) =>
      void counted.push(`${service} ${action} ${status}`),
    recordThrottled: (action: string) => void counted.push(`throttled ${action}`),
  };
  const delay = new RequestDelay(new FakeClock().now());
  const throttled = { status: 503, body: ec2Error("RequestLimitExceeded", "slow") };
  await using service = await connect([throttled], { delay, metrics });
  await assert.rejects(service.client.call(describeSubnets, {}, signal));
  await assert.rejects(service.client.call(describeSubnets, {}, signal));
  assert.deepEqual(service.clock.sleeps, [1000, 2000, 10_000, 1000, 2000]);
  const each = ["EC2 DescribeSubnets 503", "throttled DescribeSubnets"];
  assert.deepEqual(counted, [...each, ...each]);
});

test("AwsClient ends with the reason of an aborted call", async () => {
  await using service = await connect([{}]);
  const stop = new AbortController();
  stop.abort(new Error("stopped"));
  await assert.rejects(service.client.call(describeSubnets, {}, stop.signal), {
    message: "stopped",
  });
  assert.equal(service.requests.length, 0);
});

test("pagesOf() follows the tokens of a list", async () => {
  const page = (id: string, token: string): Answer => ({
    body: `<R><reservationSet><item><instancesSet><item><instanceId>${id}</instanceId></item></instancesSet></item></reservationSet>${token && `<nextToken>${token}</nextToken>`}</R>`,
  });
  await using service = await connect([page("i-1", "t+1"), page("i-2", "")]);
  const paging = {
    operation: describeInstances,
    next: ({ nextToken }: { readonly nextToken: string | undefined }) => nextToken,
    continued: (params: object, NextToken: string) => ({ ...params, NextToken }),
  };
  const found: unknown[] = [];
  for await (const { reservationSet } of pagesOf(
    service.client,
    paging,
    { MaxResults: 1 },
    signal,
  )) {
    found.push(reservationSet[0]?.instancesSet[0]?.instanceId);
  }
  assert.deepEqual(found, ["i-1", "i-2"]);
  assert.match(service.requests[1]?.body ?? "", /MaxResults=1&NextToken=t%2B1$/);
});
