package formicary.lab;

import java.util.function.LongConsumer;

/** What the laboratory asks for: its `prepare`, see docs/drivers.md. */
public final class Job {
    public String experiment;
    public String placement;
    public String role;
    public int pairs;
    public int receivers;
    public int payload_bytes;
    public int[] rounds;
    public long seed;
    public String listen;
    public String peer;
    public String times;
    public int loop;
    public String way = "";
    public int dimension;
    public int threads;
    public int services;
    public int types;
    public int[] offered = {0, 0};
    /** Told how many services are registered, while these are prepared. */
    public transient LongConsumer progress;

    /** How many round trips each pair makes in all. */
    public int trips() {
        return rounds[0] + rounds[1] + rounds[2];
    }

    public boolean echoes() {
        return !role.equals("ask");
    }

    public boolean asks() {
        return !role.equals("echo");
    }

    /** The number of the agent that answers `asker`. */
    public int receiverOf(int asker) {
        return asker % receivers;
    }

    /** Whether all agents ask each other in turn, and answer. */
    public boolean isRing() {
        return experiment.equals("traffic/ring") || experiment.equals("traffic/pool-size");
    }

    /** The number of the agent of a ring that answers `asker` on a round trip, counted from 0. */
    public int partnerOf(int asker, int trip) {
        return (asker + 1 + trip % (pairs - 1)) % pairs;
    }

    /** The type of the service with this number. */
    public String typeOf(int service) {
        return "type-" + service % types;
    }

    /** How many of all services have the type of this number. */
    public int ofType(int type) {
        return (services - type + types - 1) / types;
    }

    public String body() {
        return "x".repeat(payload_bytes);
    }

    /** Whether loops of an operation are made, and no round trips. */
    public boolean loops() {
        return loop > 0;
    }

    /** Whether the operations of a loop are all begun at once, or each when the one before has ended. */
    public boolean isAtOnce() {
        return way.equals("at-once");
    }
}
