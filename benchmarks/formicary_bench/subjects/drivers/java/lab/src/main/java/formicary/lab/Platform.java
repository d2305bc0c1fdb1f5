package formicary.lab;

import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

/** What a driver has to know to do about its platform; `Lab` does the rest. */
public interface Platform {
    /**
     * Have all agents of this process ready, up to the first message.
     *
     * @param job what to prepare
     * @param times for each agent that asks, by its number; none in a process that only echoes
     * @param finished each agent that asks is to call it once in each round, after its last round trip
     * @return what the process that asks has to know to reach this one
     */
    String prepare(Job job, List<Times> times, Runnable finished) throws Exception;

    /** Have all agents that ask begin; once in each round. */
    void go() throws Exception;

    /** Return how many round trips of all agents together take half a second, where these are very many. */
    default int trips() {
        return 0;
    }

    /**
     * Make a loop of operations, where the experiment is one that loops; clean up afterwards.
     *
     * @param size how many operations
     * @param step called with how many more are done, some times a second if it takes long
     * @return the nanoseconds that they took, without the cleaning up
     */
    default long loop(int size, IntConsumer step) throws Exception {
        throw new UnsupportedOperationException("this platform makes no loops");
    }

    /** Return the patterns of its threads' names by group, see docs/drivers.md; none if it cannot tell them apart. */
    default Map<String, List<String>> threads() {
        return Map.of();
    }

    /** Return by a number of swaps how many agents of a grid have made so many, and how many were refused to them. */
    default List<long[]> tallies() {
        return List.of();
    }
}
