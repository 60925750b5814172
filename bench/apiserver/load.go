// The client of bench/apiserver: one program that puts the same load on every server it is pointed at, slice by slice in
// turn, so that whatever else the machine does meets all of them alike. Standard library only; built by apiserver.ts.
//
// It behaves as client-go does by default: HTTP/2 over TLS (HTTP/1.1 with -http1), one connection per client, a client
// certificate, JSON, and "Accept-Encoding: gzip". It never parses nor inflates an answer: bodies are read to their end and
// counted, events of a watch are told apart by their newlines. So the client costs little, and the same for everyone.
//
// The Pods are such as a Deployment makes them and a kubelet reports on them, 11 KB when stored, and 13 with a status. "status patch" comes
// before the reads, so that what is read is what a running cluster holds.
package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var (
	targetList = flag.String("targets", "", "NAME=URL=PID[+PID…] of each server, separated by commas")
	certFile   = flag.String("cert", "", "client certificate")
	keyFile    = flag.String("key", "", "its key")
	count      = flag.Int("count", 3000, "pods")
	clients    = flag.Int("clients", 16, "requests under way at a time, each on a connection of its own")
	watchers   = flag.Int("watchers", 50, "watches of the fan-out, each on a connection of its own")
	rounds     = flag.Int("slices", 5, "slices that each operation is cut into")
	only       = flag.String("only", "", "operations to measure (part of a name), besides create and delete")
	keep       = flag.Bool("keep", false, "leave the pods where they are")
	useHTTP1   = flag.Bool("http1", false, "speak HTTP/1.1")
)

const (
	namespace   = "bench"
	podsPath    = "/api/v1/namespaces/" + namespace + "/pods"
	configsPath = "/api/v1/namespaces/" + namespace + "/configmaps"
	plain       = "application/json"
	strategic   = "application/strategic-merge-patch+json"
	table       = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
)

// target is one server under load.
type target struct {
	name, url string
	pids      []string
	clients   []*http.Client
	results   map[string]*result
}

// result is what was measured of one operation on one server.
type result struct {
	PerSecond float64 `json:"perSecond"`
	P50Ms     float64 `json:"p50Ms"`
	P99Ms     float64 `json:"p99Ms"`
	// Processor time of the server's processes.
	CPUMicros float64 `json:"cpuMicros"`
	Bytes     float64 `json:"bytes"`

	done    int
	elapsed time.Duration
	cpu     time.Duration
	read    int64
	times   []time.Duration
}

// operation is done total times on each server.
type operation struct {
	name  string
	total int
	do    func(client *http.Client, url string, index int) (int64, error)
}

func main() {
	flag.Parse()
	certificate, err := tls.LoadX509KeyPair(*certFile, *keyFile)
	check(err)
	targets := parseTargets(certificate)
	for _, target := range targets {
		_, err := send(target.clients[0], "POST", target.url+"/api/v1/namespaces", plain, []byte(`{"metadata":{"name":"`+namespace+`"}}`))
		check(err)
	}
	for _, operation := range operations() {
		if !wanted(operation.name) {
			continue
		}
		for round := range *rounds {
			for _, target := range targets {
				from, to := round*operation.total / *rounds, (round+1)*operation.total / *rounds
				target.measure(operation.name, func() (int, int64, []time.Duration) {
					return target.run(operation, from, to)
				})
			}
		}
		if operation.name == "list as Table" && wanted("fan-out") {
			for round := range *rounds {
				for _, target := range targets {
					target.measure("fan-out", func() (int, int64, []time.Duration) {
						return target.fanOut(certificate, round, 200)
					})
				}
			}
		}
	}
	answer := map[string]map[string]*result{}
	for _, target := range targets {
		for _, result := range target.results {
			result.finish()
		}
		answer[target.name] = target.results
	}
	check(json.NewEncoder(os.Stdout).Encode(answer))
}

func wanted(name string) bool {
	if name == "delete" && *keep {
		return false
	}
	return *only == "" || name == "create" || name == "delete" || strings.Contains(name, *only)
}

func operations() []operation {
	get := func(path, accept string) func(*http.Client, string, int) (int64, error) {
		return func(client *http.Client, url string, index int) (int64, error) {
			return send(client, "GET", url+strings.ReplaceAll(path, "INDEX", strconv.Itoa(index%100)), accept, nil)
		}
	}
	lists := 40
	return []operation{
		{"create", *count, func(client *http.Client, url string, index int) (int64, error) {
			return send(client, "POST", url+podsPath, plain, pod(index))
		}},
		{"status patch", *count, func(client *http.Client, url string, index int) (int64, error) {
			return send(client, "PATCH", url+podsPath+"/"+podName(index)+"/status", plain, podStatus(index))
		}},
		{"get", *count * 3, func(client *http.Client, url string, index int) (int64, error) {
			return send(client, "GET", url+podsPath+"/"+podName(index*7%*count), plain, nil)
		}},
		{"list", lists, get(podsPath, plain)},
		{"list with selector", lists * 5, get(podsPath+"?labelSelector=app%3Dapp-INDEX", plain)},
		{"list as Table", lists, get(podsPath, table)},
		{"delete", *count, func(client *http.Client, url string, index int) (int64, error) {
			return send(client, "DELETE", url+podsPath+"/"+podName(index)+"?gracePeriodSeconds=0", plain, nil)
		}},
	}
}

func parseTargets(certificate tls.Certificate) []*target {
	var targets []*target
	for _, text := range strings.Split(*targetList, ",") {
		part := strings.Split(text, "=")
		target := &target{name: part[0], url: part[1], pids: strings.Split(part[2], "+"), results: map[string]*result{}}
		for range *clients {
			target.clients = append(target.clients, newClient(certificate))
		}
		targets = append(targets, target)
	}
	return targets
}

// newClient has one connection, which it keeps.
func newClient(certificate tls.Certificate) *http.Client {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(*useHTTP1)
	protocols.SetHTTP2(!*useHTTP1)
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig:    &tls.Config{Certificates: []tls.Certificate{certificate}, InsecureSkipVerify: true},
		Protocols:          protocols,
		DisableCompression: true, // We ask for gzip ourselves, so that nothing is inflated here.
	}}
}

// send makes one request and reads the answer to its end.
func send(client *http.Client, method, url, accept string, body []byte) (int64, error) {
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Accept", accept)
	request.Header.Set("Accept-Encoding", "gzip")
	request.Header.Set("User-Agent", "bench/v1.0 (linux/amd64) kubernetes/0000000")
	if method == "PATCH" {
		request.Header.Set("Content-Type", strategic)
	} else if body != nil {
		request.Header.Set("Content-Type", plain)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		text, _ := io.ReadAll(response.Body)
		return 0, fmt.Errorf("%s %s: %s: %.500s", method, url, response.Status, text)
	}
	return io.Copy(io.Discard, response.Body)
}

// run does the operation with all clients at once.
func (t *target) run(operation operation, from, to int) (int, int64, []time.Duration) {
	var next, read atomic.Int64
	var lock sync.Mutex
	var group sync.WaitGroup
	var times []time.Duration
	next.Store(int64(from))
	for _, client := range t.clients {
		group.Go(func() {
			var own []time.Duration
			for index := int(next.Add(1)) - 1; index < to; index = int(next.Add(1)) - 1 {
				began := time.Now()
				size, err := operation.do(client, t.url, index)
				check(err)
				own = append(own, time.Since(began))
				read.Add(size)
			}
			lock.Lock()
			defer lock.Unlock()
			times = append(times, own...)
		})
	}
	group.Wait()
	return to - from, read.Load(), times
}

// fanOut creates objects that everyone watches, and waits until everyone has seen all of them. What is timed is the way
// of an event from the start of the request that causes it to a watcher.
func (t *target) fanOut(certificate tls.Certificate, round, events int) (int, int64, []time.Duration) {
	began := make([]time.Time, events)
	var seen, opened sync.WaitGroup
	var lock sync.Mutex
	var times []time.Duration
	var read int64
	for range *watchers {
		opened.Add(1)
		seen.Go(func() {
			client := newClient(certificate)
			defer client.CloseIdleConnections()
			stream := t.watch(client)
			defer stream.Close()
			opened.Done()
			own, size := follow(stream, began, fmt.Appendf(nil, `"event-%d-`, round))
			lock.Lock()
			defer lock.Unlock()
			times, read = append(times, own...), read+size
		})
	}
	opened.Wait()
	t.results["fan-out"].start(t)
	create := operation{do: func(client *http.Client, url string, index int) (int64, error) {
		began[index] = time.Now()
		return send(client, "POST", url+configsPath, plain, config(round, index))
	}}
	t.run(create, 0, events)
	seen.Wait()
	return events * *watchers, read, times
}

func (t *target) watch(client *http.Client) io.ReadCloser {
	request, err := http.NewRequest("GET", t.url+configsPath+"?watch=1&resourceVersion=0&timeoutSeconds=600", nil)
	check(err)
	request.Header.Set("Accept", plain)
	request.Header.Set("Accept-Encoding", "gzip")
	response, err := client.Do(request)
	check(err)
	return response.Body
}

// follow reads events until it has seen every one of this round; what earlier rounds left is passed over.
func follow(stream io.Reader, began []time.Time, mark []byte) ([]time.Duration, int64) {
	reader := bufio.NewReaderSize(stream, 1<<16)
	times := make([]time.Duration, 0, len(began))
	var read int64
	for len(times) < len(began) {
		line, err := reader.ReadSlice('\n')
		check(err)
		at := bytes.Index(line, mark)
		if at < 0 {
			continue
		}
		digits := line[at+len(mark):]
		index, err := strconv.Atoi(string(digits[:bytes.IndexByte(digits, '"')]))
		check(err)
		times = append(times, time.Since(began[index]))
		read += int64(len(line))
	}
	return times, read
}

// measure adds one slice to an operation's result.
func (t *target) measure(name string, run func() (int, int64, []time.Duration)) {
	if t.results[name] == nil {
		t.results[name] = &result{}
	}
	result := t.results[name]
	result.start(t)
	done, read, times := run()
	result.elapsed += time.Since(started)
	result.cpu += t.processorTime() - cpuBefore
	result.done += done
	result.read += read
	result.times = append(result.times, times...)
}

// When the slice under way has begun, and how much processor time its server had used by then.
var (
	started   time.Time
	cpuBefore time.Duration
)

func (r *result) start(t *target) {
	cpuBefore = t.processorTime()
	started = time.Now()
}

func (r *result) finish() {
	slices.Sort(r.times)
	at := func(part float64) float64 {
		return float64(r.times[int(part*float64(len(r.times)-1))].Microseconds()) / 1000
	}
	r.PerSecond = float64(r.done) / r.elapsed.Seconds()
	r.P50Ms, r.P99Ms = at(0.5), at(0.99)
	r.CPUMicros = float64(r.cpu.Microseconds()) / float64(r.done)
	r.Bytes = float64(r.read) / float64(r.done)
}

// processorTime is what the server's processes have used so far; the kernel counts in hundredths of a second.
func (t *target) processorTime() time.Duration {
	ticks := 0
	for _, pid := range t.pids {
		text, err := os.ReadFile("/proc/" + pid + "/stat")
		check(err)
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+2:]))
		for _, field := range fields[11:13] {
			value, err := strconv.Atoi(field)
			check(err)
			ticks += value
		}
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
