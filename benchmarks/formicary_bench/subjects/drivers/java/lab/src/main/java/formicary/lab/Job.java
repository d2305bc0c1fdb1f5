package formicary.lab;

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
        return receivers == 1 ? 0 : asker;
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
