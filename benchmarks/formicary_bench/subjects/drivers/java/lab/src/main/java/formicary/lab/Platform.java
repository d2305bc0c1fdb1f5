package formicary.lab;

import java.util.List;

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
}
