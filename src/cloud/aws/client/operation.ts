import type { Shape, Value } from "./shape.ts";

/** One of AWS' services that speak the Query protocol. */
export interface AwsService {
  /** As in errors, metrics and [ServiceOverride]: "EC2", "Elastic Load Balancing v2". */
  readonly id: string;
  /** Of default endpoints, which is also the name in signatures: "ec2". */
  readonly prefix: string;
  readonly version: string;
  /** EC2 encodes lists as Name.1, and its elements of lists are <item>; others have Name.member.1 and <member>. */
  readonly protocol: "ec2" | "query";
}

export const ec2: AwsService = {
  id: "EC2",
  prefix: "ec2",
  version: "2016-11-15",
  protocol: "ec2",
};

export const elb: AwsService = {
  id: "Elastic Load Balancing",
  prefix: "elasticloadbalancing",
  version: "2012-06-01",
  protocol: "query",
};

export const elbv2: AwsService = {
  id: "Elastic Load Balancing v2",
  prefix: "elasticloadbalancing",
  version: "2015-12-01",
  protocol: "query",
};

export const sts: AwsService = {
  id: "STS",
  prefix: "sts",
  version: "2011-06-15",
  protocol: "query",
};

/** A parameter, under its name on the wire: { Filter: [{ Name: "vpc-id", Value: ["vpc-1"] }] }. */
export type Param =
  | string
  | number
  | boolean
  | undefined
  | readonly Param[]
  | { readonly [name: string]: Param };

/** One call that a service offers. P are its parameters, S the shape of its result. */
export interface Operation<P, S extends Shape> {
  readonly service: AwsService;
  /** "DescribeInstances". */
  readonly action: string;
  readonly result: S;
  /** The codes of errors that the SDK has a type for: it prints them without "api error". */
  readonly errors: readonly string[];
  /** Never set: it carries the type of the parameters. */
  readonly params?: P;
}

/** The result of an operation. */
export type ResultOf<O> = O extends Operation<infer _P, infer S> ? Value<S> : never;

/** Declares the operations of a service: `const call = operationsOf(ec2); call<Params>()("Action", shape)`. */
export function operationsOf(service: AwsService) {
  return <P extends object>() =>
    <const S extends Shape>(
      action: string,
      result: S,
      errors: readonly string[] = [],
    ): Operation<P, S> => ({ service, action, result, errors });
}
