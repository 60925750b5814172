/** Upstream: cloud-provider-aws pkg/providers/v1/aws_loadbalancer.go. */
import {
  createListener,
  createTargetGroup,
  deleteListener,
  deleteTargetGroup,
  describeTargetHealth,
  type Listener,
  modifyListener,
  type Target,
} from "../../client/elbv2-operations.ts";
import type { LbEnvironment } from "../base/environment.ts";
import { lbTags, type ServiceGoal } from "../base/goal.ts";
import { action, type Session, wrap } from "../base/session.ts";
import {
  type NetworkPort,
  targetFamilyOf,
  targetGroupName,
  targetTypeOf,
} from "./network-ports.ts";
import { targetsOf } from "./network-targets.ts";
import type { PortStep } from "./plan-ports.ts";
import { planHealthCheck, planTargets } from "./plan-targets.ts";

/** Applies the steps of the ports of one load balancer. */
export class PortSteps {
  readonly #session: Session;
  readonly #environment: LbEnvironment;
  readonly #goal: ServiceGoal;
  readonly #arn: string;
  readonly #vpcId: string;

  constructor(
    session: Session,
    environment: LbEnvironment,
    goal: ServiceGoal,
    loadBalancer: { readonly arn: string; readonly vpcId: string },
  ) {
    this.#session = session;
    this.#environment = environment;
    this.#goal = goal;
    this.#arn = loadBalancer.arn;
    this.#vpcId = loadBalancer.vpcId;
  }

  /** The listeners of a new load balancer. */
  async createAll(ports: readonly NetworkPort[]): Promise<void> {
    for (const port of ports) {
      await this.#create(port).catch((error: unknown) => {
        throw wrap(error, "error creating listener: %q");
      });
    }
  }

  async apply(step: PortStep): Promise<void> {
    switch (step.do) {
      case "create":
        return await this.#create(step.port);
      case "replace":
        return await this.#replace(step.port, step.listener);
      case "keep":
        return await this.#keep(step);
      case "delete":
        return await this.#delete(step.listener);
    }
  }

  async #create(port: NetworkPort): Promise<void> {
    const targetGroup = await this.#createTargetGroup(port);
    const params = {
      LoadBalancerArn: this.#arn,
      ...listenerParams(port, targetGroup),
      Tags: lbTags(this.#goal, this.#environment),
    };
    const failure = "error creating load balancer listener: %q";
    await this.#session.applyAll([action(createListener, params, failure)]);
  }

  async #replace(port: NetworkPort, listener: Listener): Promise<void> {
    const targetGroup = await this.#createTargetGroup(port);
    const old = listener.DefaultActions[0]?.TargetGroupArn ?? "";
    const deleting = "error deleting old target group: %q";
    await this.#session.applyAll([
      changeListener(listener, port, targetGroup),
      // The new one is the old one if a program was interrupted after it had changed the listener.
      ...(old === targetGroup
        ? []
        : [action(deleteTargetGroup, { TargetGroupArn: old }, deleting)]),
    ]);
  }

  async #keep(step: Extract<PortStep, { do: "keep" }>): Promise<void> {
    const { port, listener, targetGroup, changesListener } = step;
    const arn = targetGroup.TargetGroupArn ?? "";
    if (changesListener) await this.#session.applyAll([changeListener(listener, port, arn)]);
    await this.updateTargets(port, arn);
    const { isDryRun } = this.#session;
    await this.#session.applyAll(planHealthCheck(targetGroup, port.healthCheck, isDryRun));
  }

  /** Makes the targets of a target group those of a port. */
  async updateTargets(port: NetworkPort, arn: string): Promise<void> {
    const actual = await this.#readTargets(arn);
    const wanted = targetsOf(this.#goal, port, this.#environment);
    await this.#session.applyAll(planTargets(arn, wanted, actual));
  }

  async #delete(listener: Listener): Promise<void> {
    const arn = listener.DefaultActions[0]?.TargetGroupArn ?? "";
    const removing = "error deleting load balancer listener: %q";
    const deleting = "error deleting load balancer target group: %q";
    await this.#session.applyAll([
      action(deleteListener, { ListenerArn: listener.ListenerArn ?? "" }, removing),
      action(deleteTargetGroup, { TargetGroupArn: arn }, deleting),
    ]);
  }

  /** Creates a target group with its targets; resolves with its ARN. */
  async #createTargetGroup(port: NetworkPort): Promise<string> {
    const { service } = this.#goal;
    const { healthCheck } = port;
    const targetType = targetTypeOf(service);
    const clusterId = this.#environment.tags.clusterId;
    const name = targetGroupName(clusterId, service, port, targetType);
    const params = {
      VpcId: this.#vpcId,
      Name: name,
      Port: port.targetPort,
      Protocol: port.targetProtocol,
      TargetType: targetType,
      ...(targetFamilyOf(service) === "ipv6" ? { IpAddressType: "ipv6" } : {}),
      HealthCheckIntervalSeconds: healthCheck.intervalSeconds,
      HealthCheckPort: healthCheck.port,
      HealthCheckProtocol: healthCheck.protocol,
      HealthyThresholdCount: healthCheck.healthyThreshold,
      UnhealthyThresholdCount: healthCheck.unhealthyThreshold,
      ...(healthCheck.protocol === "TCP" ? {} : { HealthCheckPath: healthCheck.path }),
      Tags: lbTags(this.#goal, this.#environment),
    };
    const arn = await this.#applyCreation(params);
    await this.#session.applyAll(
      planTargets(arn, targetsOf(this.#goal, port, this.#environment), []),
    );
    return arn;
  }

  async #applyCreation(params: NonNullable<(typeof createTargetGroup)["params"]>): Promise<string> {
    const failure = "error creating load balancer target group: %q";
    if (this.#session.isDryRun) {
      await this.#session.applyAll([action(createTargetGroup, params, failure)]);
      return `(ARN of ${params.Name})`;
    }
    const none = { TargetGroups: [] };
    const { TargetGroups } = await this.#session.apply(createTargetGroup, params, none, failure);
    const [made] = TargetGroups;
    if (TargetGroups.length === 1 && made?.TargetGroupArn) return made.TargetGroupArn;
    const count = TargetGroups.length;
    throw new Error(`expected only one target group on CreateTargetGroup, got ${count} groups`);
  }

  async #readTargets(arn: string): Promise<Target[]> {
    const failure = "error describing target group health: %q";
    const params = { TargetGroupArn: arn };
    const { TargetHealthDescriptions } = await this.#session.read(
      describeTargetHealth,
      params,
      failure,
    );
    return TargetHealthDescriptions.filter(
      ({ TargetHealth }) => TargetHealth?.Reason !== "Target.DeregistrationInProgress",
    ).map(({ Target }) => ({
      Id: Target?.Id ?? "",
      ...(Target?.Port === undefined ? {} : { Port: Target.Port }),
    }));
  }
}

function listenerParams(port: NetworkPort, targetGroupArn: string) {
  const { certificate, sslPolicy = "" } = port;
  return {
    Port: port.port,
    Protocol: port.protocol,
    DefaultActions: [{ TargetGroupArn: targetGroupArn, Type: "forward" }],
    ...(port.protocol === "TLS" && sslPolicy !== "" ? { SslPolicy: sslPolicy } : {}),
    ...(certificate === undefined ? {} : { Certificates: [{ CertificateArn: certificate }] }),
  };
}

function changeListener(listener: Listener, port: NetworkPort, targetGroupArn: string) {
  const params = {
    ListenerArn: listener.ListenerArn ?? "",
    ...listenerParams(port, targetGroupArn),
  };
  return action(modifyListener, params, "error updating load balancer listener: %q");
}
