import { type Secret, type Service, secrets, services } from "#/api/core/v1.ts";
import { type EndpointSlice, endpointSlices } from "#/api/discovery/v1.ts";
import { ingressClasses, ingresses } from "#/api/networking/v1.ts";
import type { Informer } from "#/client/informers/informer.ts";
import type { Informers } from "#/client/informers/informers.ts";
import type { Clock, Timer } from "#/std/time/clock.ts";
import {
  backendTlsPolicies,
  gatewayClasses,
  gateways,
  grpcRoutes,
  httpRoutes,
  listenerSets,
  referenceGrants,
  tlsRoutes,
} from "./api/gateway-resources.ts";
import { GatewayApiSource } from "./api-source.ts";
import { Backends } from "./backends/backends.ts";
import { Certificates } from "./backends/certificates.ts";
import { controllerName, type IngressPlan, planIngresses } from "./ingress/plan-ingresses.ts";
import type { GatewayMetrics } from "./metrics.ts";
import { changedTls, findTls } from "./routes/backend-tls.ts";
import { type GatewayApiPlan, planGatewayApi } from "./routes/plan-gateway-api.ts";

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
  readonly api: GatewayApiSource;
  readonly #options: StateOptions;
  readonly #services: Informer<Service>;
  readonly #slices: Informer<EndpointSlice>;
  readonly #secrets: Informer<Secret>;
  #plan: IngressPlan;
  #apiPlan: GatewayApiPlan;
  #timer: Timer | undefined;
  #hasOtherIngresses = true;
  #hasOtherRoutes = true;

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
      tls: (service, port) => findTls(this.#apiPlan.backendTls, service, port),
    });
    this.certificates = new Certificates((key) => this.#secrets.store.getByKey(key), clock);
    this.api = new GatewayApiSource(informers, this.#routesChanged);
    this.#plan = this.#planIngresses();
    this.#apiPlan = this.#planGatewayApi();
    this.#follow();
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel();
  }

  get plan(): IngressPlan {
    return this.#plan;
  }

  get apiPlan(): GatewayApiPlan {
    return this.#apiPlan;
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
    if (this.#hasOtherIngresses) this.#plan = this.#planIngresses();
    if (this.#hasOtherRoutes) this.#replanGatewayApi();
    this.#hasOtherIngresses = false;
    this.#hasOtherRoutes = false;
    this.certificates.plan = this.#plan.certificates;
    metrics.planDuration.observe((clock.monotonicMs() - startMs) / 1000);
    metrics.rules.set(this.#plan.own.length);
    metrics.routes.set(this.#apiPlan.routes.length);
    onPlan();
  }

  #replanGatewayApi(): void {
    const before = this.#apiPlan.backendTls;
    this.#apiPlan = this.#planGatewayApi();
    for (const service of changedTls(before, this.#apiPlan.backendTls)) {
      this.backends.changed(service);
    }
  }

  #planIngresses(): IngressPlan {
    const { informers, localDomain } = this.#options;
    return planIngresses({
      ingresses: informers.informer(ingresses).store.list(),
      classes: informers.informer(ingressClasses).store.list(),
      balancers: localDomain === "" ? [] : this.#balancers(),
      localDomain,
    });
  }

  #planGatewayApi(): GatewayApiPlan {
    const { api } = this;
    return planGatewayApi({
      controllerName,
      classes: api.list(gatewayClasses),
      gateways: api.list(gateways),
      listenerSets: api.list(listenerSets),
      httpRoutes: api.list(httpRoutes),
      grpcRoutes: api.list(grpcRoutes),
      tlsRoutes: api.list(tlsRoutes),
      grants: api.list(referenceGrants),
      tlsPolicies: api.list(backendTlsPolicies),
      facts: {
        certificateProblem: (key) => this.certificates.problemOf(key),
        namespaceLabels: (name) => api.labelsOf(name),
        service: (namespace, name) => this.#services.store.get(namespace, name),
        authorities: (namespace, name) => api.authorities(namespace, name),
      },
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

  readonly #ingressesChanged = (): void => {
    this.#hasOtherIngresses = true;
    this.#replanSoon();
  };

  readonly #routesChanged = (): void => {
    this.#hasOtherRoutes = true;
    this.#replanSoon();
  };

  /** Services and certificates are part of both plans. */
  readonly #bothChanged = (): void => {
    this.#hasOtherIngresses = true;
    this.#routesChanged();
  };

  #replanSoon(): void {
    this.#timer ??= this.#options.clock.setTimer(settleMs, () => this.replan());
  }

  #follow(): void {
    const { informers } = this.#options;
    const every = (run: () => void) => ({ added: run, updated: run, deleted: run });
    informers.informer(ingresses).subscribe(every(this.#ingressesChanged));
    informers.informer(ingressClasses).subscribe(every(this.#ingressesChanged));
    this.#secrets.subscribe(every(this.#bothChanged));
    const changed = ({ metadata }: Service): void => {
      this.backends.changed(`${metadata.namespace}/${metadata.name}`);
      this.#bothChanged();
    };
    this.#services.subscribe({ added: changed, updated: changed, deleted: changed });
    const moved = ({ metadata }: EndpointSlice): void =>
      this.backends.changed(`${metadata.namespace}/${metadata.labels?.[serviceLabel] ?? ""}`);
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
