package formicary.pekko;

import formicary.lab.Cell;
import formicary.lab.Grid;
import formicary.lab.Job;
import formicary.lab.Lab;
import formicary.lab.Times;
import formicary.lab.ToCell;
import formicary.lab.WithGrid;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/** Drives Pekko: typed actors of one actor system, as its configuration is by itself. */
public final class Driver extends WithGrid {
    private static final long SECONDS_TO_START = 60;
    private static final int TRIPS = 1_000_000;
    private final List<ActorRef<ToAsker>> askers = new ArrayList<>();

    public static void main(String[] arguments) {
        String version = org.apache.pekko.Version.current();
        Lab.serve("pekko", version, Lab.MESSAGES_AND_GRID, List.of("same-container"), new Driver());
    }

    @Override
    public String prepare(Job job, List<Times> times, Runnable finished) throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        Behavior<Void> guardian = Behaviors.setup(context -> start(context, job, times, finished, started));
        ActorSystem.create(guardian, "laboratory");
        if (!started.await(SECONDS_TO_START, TimeUnit.SECONDS)) {
            throw new IllegalStateException("Pekko has not started all actors within " + SECONDS_TO_START + " s");
        }
        return "";
    }

    @Override
    public int trips() {
        return TRIPS;
    }

    @Override
    public void go() {
        askers.forEach(asker -> asker.tell(new Begin()));
    }

    private Behavior<Void> start(
            ActorContext<Void> context, Job job, List<Times> times, Runnable finished, CountDownLatch started) {
        if (job.experiment.equals(Grid.EXPERIMENT)) {
            grid = new Grid(job.dimension, job.seed);
            List<ActorRef<ToCell>> cells = new ArrayList<>();
            for (int place = 0; place < grid.size(); place++) {
                cells.add(context.spawn(cell(new Cell(grid, place)), "cell-" + place));
            }
            grid.connect((place, message) -> cells.get(place).tell(message));
            started.countDown();
            return Behaviors.empty();
        }
        List<ActorRef<Question>> echoes = new ArrayList<>();
        for (int number = 0; number < job.receivers; number++) {
            echoes.add(context.spawn(Echo.create(), "echo-" + number));
        }
        for (int number = 0; number < times.size(); number++) {
            ActorRef<Question> partner = echoes.get(job.receiverOf(number));
            Behavior<ToAsker> asker = Asker.create(partner, job.body(), times.get(number), finished);
            askers.add(context.spawn(asker, "asker-" + number));
        }
        started.countDown();
        return Behaviors.empty();
    }

    private static Behavior<ToCell> cell(Cell cell) {
        return Behaviors.receiveMessage(message -> {
            cell.handle(message);
            return Behaviors.same();
        });
    }
}
