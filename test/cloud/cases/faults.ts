import type { CloudCase, Port, Step } from "../cloud-case.ts";

const web: Port = { port: 80, nodePort: 30_080, name: "http", protocol: "TCP" };

/** Calls that fail, and a program that is killed, each for both kinds of load balancers. */
export const faultCases: readonly CloudCase[] = [
  failing("clb", "elb:CreateLoadBalancer", "Throttling", 2),
  failing("nlb", "elbv2:CreateLoadBalancer", "Throttling", 2),
  failing("clb", "ec2:DescribeInstances", "RequestLimitExceeded", 2),
  failing("nlb", "elbv2:CreateListener", "ThrottlingException", 4),
  failing("nlb", "ec2:AuthorizeSecurityGroupIngress", "RequestLimitExceeded", 5),
  failing("clb", "elb:CreateLoadBalancer", "AccessDenied", 1),
  failing("nlb", "elbv2:CreateLoadBalancer", "AccessDenied", 1),
  failing("nlb", "elbv2:CreateTargetGroup", "TooManyTargetGroups", 1),
  failing("nlb", "elbv2:RegisterTargets", "InvalidTarget", 1),
  failing("clb", "ec2:CreateSecurityGroup", "UnauthorizedOperation", 1),
  failing("clb", "ec2:CreateSecurityGroup", "InvalidGroup.Duplicate", 1),
  failing("clb", "ec2:DescribeSubnets", "UnauthorizedOperation", 1),
  failing("clb", "ec2:AuthorizeSecurityGroupIngress", "RulesPerSecurityGroupLimitExceeded", 1),
  failing("clb", "elb:RegisterInstancesWithLoadBalancer", "InvalidInstance", 1),
  failing("clb", "elb:ModifyLoadBalancerAttributes", "InvalidConfigurationRequest", 1),
  failing("nlb", "elbv2:ModifyLoadBalancerAttributes", "InvalidConfigurationRequest", 1),
  failing("clb", "elb:ConfigureHealthCheck", "InternalFailure", 1, 500),
  {
    name: "clb: deletion, DeleteSecurityGroup fails once with DependencyViolation",
    steps: [
      created("clb"),
      {
        remove: "web",
        until: "deleted",
        faults: [fault("ec2:DeleteSecurityGroup", "DependencyViolation", 1)],
      },
    ],
  },
  {
    name: "nlb: deletion, DeleteTargetGroup fails once",
    steps: [
      created("nlb"),
      {
        remove: "web",
        until: "failed",
        faults: [fault("elbv2:DeleteTargetGroup", "ResourceInUse", 1)],
      },
    ],
  },
  {
    name: "clb: deletion, DeleteLoadBalancer is denied once",
    steps: [
      created("clb"),
      {
        remove: "web",
        until: "deleted",
        faults: [fault("elb:DeleteLoadBalancer", "AccessDenied", 1)],
      },
    ],
  },
  ...[
    "ec2:CreateSecurityGroup",
    "ec2:AuthorizeSecurityGroupIngress",
    "elb:CreateLoadBalancer",
    "elb:ConfigureHealthCheck",
  ].map((call) => killed("clb", call, 1)),
  killed("clb", "ec2:AuthorizeSecurityGroupIngress", 2),
  ...[
    "elbv2:CreateLoadBalancer",
    "elbv2:CreateTargetGroup",
    "elbv2:RegisterTargets",
    "elbv2:CreateListener",
  ].map((call) => killed("nlb", call, 1)),
  killed("nlb", "ec2:AuthorizeSecurityGroupIngress", 1),
  killedInDeletion("clb", "ec2:RevokeSecurityGroupIngress"),
  killedInDeletion("clb", "elb:DeleteLoadBalancer"),
  killedInDeletion("nlb", "elbv2:DeleteLoadBalancer"),
];

function failing(
  kind: "clb" | "nlb",
  call: string,
  code: string,
  times: number,
  status = 400,
): CloudCase {
  return {
    name: `${kind}: ${call} fails ${times} times with ${code}`,
    steps: [{ ...created(kind), faults: [fault(call, code, times, status)] }],
  };
}

function killed(kind: "clb" | "nlb", call: string, nth: number): CloudCase {
  return {
    name: `${kind}: killed after ${call} ${nth}`,
    steps: [{ ...created(kind), killAfter: { call, nth } }],
  };
}

function killedInDeletion(kind: "clb" | "nlb", call: string): CloudCase {
  return {
    name: `${kind}: deletion, killed after ${call}`,
    steps: [created(kind), { remove: "web", until: "deleted", killAfter: { call, nth: 1 } }],
  };
}

function created(kind: "clb" | "nlb"): Step {
  const lb: Readonly<Record<string, string>> = kind === "nlb" ? { type: "nlb" } : {};
  return { create: { lb, ports: [web] }, until: "ensured" };
}

function fault(call: string, code: string, times: number, status = 400) {
  return { call, code, times, status, message: "a fault of the test" };
}
