import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { AwsNames } from "./aws-names.ts";
import { decodeQuery, isOf, type QueryCall, sortLists } from "./query-call.ts";

export interface RecordedCall extends QueryCall {
  readonly status: number;
  /** The body of the answer. */
  readonly answer: string;
}

/** An answer that the proxy gives instead of passing the call on. */
export interface Fault {
  /** "elb:CreateLoadBalancer". */
  readonly call: string;
  readonly code: string;
  readonly message: string;
  readonly status: number;
  /** How many of the calls fail. */
  readonly times: number;
  /** True if the call takes effect all the same: only the answer is replaced. */
  readonly isAfter?: boolean;
}

/** Stands between a program and moto: records calls, makes some fail, and answers what moto lacks. */
export class RecordingProxy implements AsyncDisposable {
  readonly calls: RecordedCall[] = [];
  readonly names = new AwsNames();
  readonly #moto: string;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  #faults: { fault: Fault; left: number }[] = [];
  #interruption: { call: string; left: number; interrupt: () => void } | undefined;
  /** ARNs of deleted load balancers: moto's target groups keep them. */
  readonly #deleted: string[] = [];
  /** Calls that came before their predecessor was answered wait: recordings have one order. */
  #last: Promise<void> = Promise.resolve();

  constructor(motoUrl: string) {
    this.#moto = motoUrl;
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
  }

  fail(fault: Fault): void {
    this.#faults.push({ fault, left: fault.times });
  }

  /** Calls a function when the n-th call of an operation took effect; the program gets no answer. */
  interruptAfter(call: string, nth: number, interrupt: () => void): void {
    this.#interruption = { call, left: nth, interrupt };
  }

  /** The calls from an index on, with names instead of identifiers. */
  recorded(from: number): RecordedCall[] {
    return this.calls.slice(from).map((call) => {
      const named = JSON.parse(this.names.hide(JSON.stringify(call))) as RecordedCall;
      return { ...named, params: sortLists(named.params) };
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await buffer(request)).toString();
    const previous = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await previous;
    try {
      await this.#answer(request, body, response);
    } finally {
      resolve();
    }
  }

  async #answer(request: IncomingMessage, body: string, response: ServerResponse): Promise<void> {
    const decoded = decodeQuery(body);
    const fault = this.#faults.find((entry) => entry.fault.call === decoded.call && entry.left > 0);
    const passed =
      fault === undefined || fault.fault.isAfter
        ? await this.#pass(request, body, decoded)
        : undefined;
    const answer = fault ? faultAnswer(decoded.call, fault.fault) : passed;
    if (answer === undefined) throw new Error("no answer");
    if (fault) fault.left--;
    this.names.learn(decoded.call, answer.text);
    this.calls.push({ ...decoded, status: answer.status, answer: answer.text });
    if (
      this.#interruption &&
      isOf(decoded, this.#interruption.call) &&
      --this.#interruption.left === 0
    ) {
      this.#interruption.interrupt();
      this.#interruption = undefined;
      response.destroy();
      return;
    }
    response.writeHead(answer.status, { "content-type": "text/xml" }).end(answer.text);
  }

  async #pass(request: IncomingMessage, body: string, decoded: QueryCall): Promise<Answer> {
    const lacking = lackingAnswer(decoded);
    if (lacking !== undefined) return { status: 200, text: lacking };
    const ofLoadBalancer = (decoded.params as { LoadBalancerArn?: string }).LoadBalancerArn;
    if (decoded.call === "elbv2:DescribeTargetGroups" && ofLoadBalancer) {
      return { status: 200, text: await this.#targetGroupsOf(request, ofLoadBalancer) };
    }
    const reply = await fetch(this.#moto, { method: "POST", body, headers: headersOf(request) });
    const text = await reply.text();
    if (text.includes("<Code>DuplicateTargetGroupName</Code>")) {
      return await this.#existingTargetGroup(request, body);
    }
    if (decoded.call === "elbv2:DeleteLoadBalancer" && ofLoadBalancer) {
      this.#deleted.push(ofLoadBalancer);
    }
    const without = this.#deleted.reduce(
      (left, arn) => left.replaceAll(`<member>${arn}</member>`, ""),
      text,
    );
    return { status: reply.status, text: correct(decoded.call, without) };
  }

  /** AWS answers the creation of a target group that exists with the same settings as if it were new; moto refuses it. */
  async #existingTargetGroup(request: IncomingMessage, body: string): Promise<Answer> {
    const name = new URLSearchParams(body).get("Name") ?? "";
    const text = await this.#ask(request, "DescribeTargetGroups", { "Names.member.1": name });
    return { status: 200, text: text.replaceAll("DescribeTargetGroups", "CreateTargetGroup") };
  }

  /** moto does not notice that a changed listener has another target group, and refuses an empty list. */
  async #targetGroupsOf(request: IncomingMessage, loadBalancer: string): Promise<string> {
    const params = { LoadBalancerArn: loadBalancer };
    const listeners = await this.#ask(request, "DescribeListeners", params);
    const found = listeners.matchAll(/<TargetGroupArn>([^<]+)</g);
    const arns = [...new Set([...found].map(([, arn = ""]) => arn))];
    if (arns.length === 0) {
      const result = "<DescribeTargetGroupsResult><TargetGroups/></DescribeTargetGroupsResult>";
      return `<DescribeTargetGroupsResponse>${result}</DescribeTargetGroupsResponse>`;
    }
    const names = arns.map((arn, index) => [`TargetGroupArns.member.${index + 1}`, arn]);
    return await this.#ask(request, "DescribeTargetGroups", Object.fromEntries(names));
  }

  async #ask(
    request: IncomingMessage,
    action: string,
    params: Readonly<Record<string, string>>,
  ): Promise<string> {
    const form = new URLSearchParams({ Action: action, Version: "2015-12-01", ...params });
    const headers = headersOf(request);
    const reply = await fetch(this.#moto, { method: "POST", body: `${form}`, headers });
    return await reply.text();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return {
    authorization: headers.authorization ?? "",
    "content-type": "application/x-www-form-urlencoded; charset=utf-8",
    "x-amz-date": `${headers["x-amz-date"]}`,
  };
}

function faultAnswer(call: string, { code, message, status }: Fault): Answer {
  const error = `<Code>${code}</Code><Message>${message}</Message>`;
  const id = "<RequestId>00000000-0000-0000-0000-000000000000</RequestId>";
  const text = call.startsWith("ec2:")
    ? `<Response><Errors><Error>${error}</Error></Errors>${id.replaceAll("RequestId", "RequestID")}</Response>`
    : `<ErrorResponse><Error><Type>Sender</Type>${error}</Error>${id}</ErrorResponse>`;
  return { status, text };
}

/**
 * moto names network load balancers as AWS names classic ones, by which upstream distinguishes them; and it has no health
 * check in a new classic one, where AWS has a default.
 */
function correct(call: string, text: string): string {
  if (call.startsWith("elbv2:")) {
    return text.replaceAll(/-1\.([a-z0-9-]+)\.elb\.amazonaws\.com/g, "-1.elb.$1.amazonaws.com");
  }
  if (call !== "elb:DescribeLoadBalancers" || text.includes("<HealthCheck>")) return text;
  const port = /<InstancePort>(\d+)</.exec(text)?.[1];
  const thresholds =
    "<UnhealthyThreshold>2</UnhealthyThreshold><HealthyThreshold>10</HealthyThreshold>";
  const check = `<Target>TCP:${port}</Target><Interval>30</Interval><Timeout>5</Timeout>${thresholds}`;
  return text.replace("<DNSName>", `<HealthCheck>${check}</HealthCheck><DNSName>`);
}

function lackingAnswer({ call }: QueryCall): string | undefined {
  if (call !== "ec2:DescribeInstanceTopology") return undefined;
  const space = "http://ec2.amazonaws.com/doc/2016-11-15/";
  const id = "<requestId>00000000-0000-0000-0000-000000000000</requestId>";
  return `<DescribeInstanceTopologyResponse xmlns="${space}">${id}<instanceSet/></DescribeInstanceTopologyResponse>`;
}
