package formicary.kilim;

import formicary.lab.Grid;
import formicary.lab.Job;
import formicary.lab.Lab;
import formicary.lab.Times;
import formicary.lab.ToCell;
import formicary.lab.WithGrid;
import java.util.ArrayList;
import java.util.List;
import kilim.Mailbox;

/** Drives Kilim: a task and a mailbox for each agent, with the scheduler that Kilim has by itself. */
public final class Driver extends WithGrid {
    private static final String VERSION = "2.0.1"; // which its jar does not say
    private static final int TRIPS = 500_000;
    private final List<AskerTask> askers = new ArrayList<>();

    public static void main(String[] arguments) {
        Lab.serve("kilim", VERSION, Lab.MESSAGES_AND_GRID, List.of("same-container"), new Driver());
    }

    @Override
    public String prepare(Job job, List<Times> times, Runnable finished) {
        if (job.experiment.equals(Grid.EXPERIMENT)) {
            prepareGrid(job);
            return "";
        }
        List<Mailbox<Question>> echoes = new ArrayList<>();
        for (int number = 0; number < job.receivers; number++) {
            Mailbox<Question> mailbox = new Mailbox<>();
            echoes.add(mailbox);
            new EchoTask(mailbox).start();
        }
        for (int number = 0; number < times.size(); number++) {
            Mailbox<Question> partner = echoes.get(job.receiverOf(number));
            AskerTask asker = new AskerTask(partner, job.body(), times.get(number), finished);
            askers.add(asker);
            asker.start();
        }
        return "";
    }

    private void prepareGrid(Job job) {
        grid = new Grid(job.dimension, job.seed);
        List<Mailbox<ToCell>> mailboxes = new ArrayList<>();
        for (int place = 0; place < grid.size(); place++) {
            Mailbox<ToCell> mailbox = new Mailbox<>();
            mailboxes.add(mailbox);
            new CellTask(grid, place, mailbox).start();
        }
        grid.connect((place, message) -> mailboxes.get(place).putnb(message));
    }

    @Override
    public int trips() {
        return TRIPS;
    }

    @Override
    public void go() {
        askers.forEach(asker -> asker.rounds.putnb(true));
    }
}
