import { type Secret, type Service, secrets, services } from "#/api/core/v1.ts";
import { type EndpointSlice, endpointSlices } from "#/api/discovery/v1.ts";
import { ingressClasses, ingresses } from "#/api/networking/v1.ts";
import type { Informer } from "#/client/informers/informer.ts";
import type { Informers } from "#/client/informers/informers.ts";
import type { Clock, Timer } from "#/std/time/clock.ts";
import { Backends } from "./backends/backends.ts";
import { Certificates } from "./backends/certificates.ts";
import { type IngressPlan, planIngresses } from "./ingress/plan-ingresses.ts";
import type { GatewayMetrics } from "./metrics.ts";

interface StateOptions {
  readonly informers: Informers;
  readonly clock: Clock;
  readonly localDomain: string;
  /** The Service that leads to the gateway, as namespace/name. */
  readonly ownService: string;
  readonly metrics: GatewayMetrics;
  /** Called after each new plan. */
  readonly onPlan: () => void;
}

/** Changes within this time (ms) are planned together: a route is effective soon, and a flood of changes costs little. */
const settleMs = 5;
const serviceIndex = "service";
const serviceLabel = "kubernetes.io/service-name";

/** What the gateway knows of the cluster, and the routes that follow from it. */
export class GatewayState implements Disposable {
  readonly backends: Backends;
  readonly certificates: Certificates;
  readonly #options: StateOptions;
  readonly #services: Informer<Service>;
  readonly #slices: Informer<EndpointSlice>;
  readonly #secrets: Informer<Secret>;
  #plan: IngressPlan;
  #timer: Timer | undefined;

  constructor(options: StateOptions) {
    const { informers, clock } = options;
    this.#options = options;
    this.#services = informers.informer(services);
    this.#slices = informers.informer(endpointSlices, {
      indexes: {
        [serviceIndex]: ({ metadata }) => [
          `${metadata.namespace}/${metadata.labels?.[serviceLabel] ?? ""}`,
        ],
      },
    });
    this.#secrets = informers.informer(secrets, { fieldSelector: "type=kubernetes.io/tls" });
    this.backends = new Backends({
      service: (namespace, name) => this.#services.store.get(namespace, name),
      slices: (namespace, name) => this.#slices.store.byIndex(serviceIndex, `${namespace}/${name}`),
    });
    this.certificates = new Certificates((key) => this.#secrets.store.getByKey(key), clock);
    this.#plan = this.#compute();
    this.#follow();
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel();
  }

  get plan(): IngressPlan {
    return this.#plan;
  }

  service(key: string): Service | undefined {
    return this.#services.store.getByKey(key);
  }

  /** Computes the routes now. */
  replan(): void {
    const { clock, metrics, onPlan } = this.#options;
    this.#timer?.cancel();
    this.#timer = undefined;
    const startMs = clock.monotonicMs();
    this.#plan = this.#compute();
    this.certificates.plan = this.#plan.certificates;
    metrics.planDuration.observe((clock.monotonicMs() - startMs) / 1000);
    metrics.rules.set(this.#plan.own.length);
    onPlan();
  }

  #compute(): IngressPlan {
    const { informers, localDomain } = this.#options;
    return planIngresses({
      ingresses: informers.informer(ingresses).store.list(),
      classes: informers.informer(ingressClasses).store.list(),
      balancers: localDomain === "" ? [] : this.#balancers(),
      localDomain,
    });
  }

  /** The Services of load balancers, but not the gateway's own. */
  #balancers() {
    return this.#services.store.list().flatMap(({ metadata, spec }) => {
      const { namespace = "", name = "" } = metadata;
      const port = spec.ports?.find(({ protocol = "TCP" }) => protocol === "TCP")?.port;
      const isOther =
        spec.type === "LoadBalancer" && `${namespace}/${name}` !== this.#options.ownService;
      return isOther && port ? [{ namespace, name, port }] : [];
    });
  }

  #follow(): void {
    const { informers, clock } = this.#options;
    const later = (): void => {
      this.#timer ??= clock.setTimer(settleMs, () => this.replan());
    };
    const any = { added: later, updated: later, deleted: later };
    informers.informer(ingresses).subscribe(any);
    informers.informer(ingressClasses).subscribe(any);
    this.#secrets.subscribe(any);
    const changed = ({ metadata }: Service): void => {
      this.backends.changed(metadata.namespace ?? "", metadata.name ?? "");
      later();
    };
    this.#services.subscribe({ added: changed, updated: changed, deleted: changed });
    const moved = ({ metadata }: EndpointSlice): void =>
      this.backends.changed(metadata.namespace ?? "", metadata.labels?.[serviceLabel] ?? "");
    this.#slices.subscribe({
      added: moved,
      updated: (slice, before) => {
        moved(before);
        moved(slice);
      },
      deleted: moved,
    });
  }
}
